// Headless Chromium over a pipe (Chrome DevTools Protocol). Needs Node 20 and Chromium, and no package; CHROMIUM names the
// program. `launch` starts it; each tab has a profile of its own, so cookies and storage of one are unknown to the others.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Starts a browser. Close it with `close`. */
export async function launch() {
  const browser = new Browser();
  await browser.call("Browser.getVersion");
  return browser;
}

class Browser {
  #waiting = new Map();
  #number = 0;
  #tabs = new Map();
  #profile = mkdtempSync(join(tmpdir(), "octavo-browser-"));

  constructor() {
    const flags = ["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`, "--no-first-run", "--disable-gpu",
      "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "about:blank"];
    // A group of its own, so that the browser's children end with it.
    this.process = spawn(process.env.CHROMIUM ?? "chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
    this.ended = new Promise((resolve) => this.process.on("exit", resolve).on("error", resolve)).then(() => {
      const error = new Error("the browser ended: is Chromium installed? CHROMIUM names the program");
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
      this.dead = error;
    });
    this.process.stdio[3].on("error", () => {}); // Written to after the end; `ended` reports it.
    const parts = [];
    this.process.stdio[4].on("data", (chunk) => {
      for (let end; (end = chunk.indexOf(0)) >= 0; chunk = chunk.subarray(end + 1)) {
        parts.push(chunk.subarray(0, end));
        this.#take(JSON.parse(Buffer.concat(parts.splice(0)).toString()));
      }
      if (chunk.length > 0) parts.push(chunk);
    });
  }

  #take({ id, result, error, method, params, sessionId }) {
    if (!id) return this.#tabs.get(sessionId)?.notice(method, params);
    const { resolve, reject, what } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    error ? reject?.(new Error(`${what}: ${error.message}`)) : resolve?.(result);
  }

  call(method, params = {}, sessionId) {
    if (this.dead) return Promise.reject(this.dead);
    const id = ++this.#number;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method}: the browser does not answer within 30 seconds`)), 30_000);
      const end = (settle) => (value) => (clearTimeout(late), settle(value));
      this.#waiting.set(id, { resolve: end(resolve), reject: end(reject), what: method });
    });
  }

  /** A tab with a profile of its own that may ask `origin` and no other for anything. */
  async tab(origin) {
    const { browserContextId } = await this.call("Target.createBrowserContext");
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, { origin: new URL(origin).origin, sessionId, browserContextId });
    this.#tabs.set(sessionId, tab);
    await Promise.all(["Network", "Runtime", "Log", "Page", "Audits"].map((domain) => tab.call(`${domain}.enable`)));
    await tab.call("Emulation.setFocusEmulationEnabled", { enabled: true });
    return tab;
  }

  async close() {
    if (this.process.pid && !this.dead) process.kill(-this.process.pid, "SIGKILL");
    await this.ended;
    try {
      rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    } catch (error) {
      // A folder that stays behind says nothing about a page.
      console.error(`${this.#profile} is not removed: ${error.message}`);
    }
  }
}

const CODES = { Tab: 9, Enter: 13, Escape: 27, " ": 32, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, "/": 191 };
const MODIFIERS = { alt: 1, ctrl: 2, meta: 4, shift: 8 };

class Tab {
  /** What was wrong since the last `take`: requests to others, failed requests, messages, exceptions, violations of the policy. */
  faults = [];
  /** Responses since the last `goto`, by request: address, type, status, encoding, bytes on the wire. */
  responses = new Map();
  /** Addresses that are expected to be answered with an error. */
  expected = new Set();
  #under = new Set();
  #listeners = new Map();
  #foreign = new Map();
  #observer;
  #silent = false;
  #late;

  constructor(browser, { origin, sessionId, browserContextId }) {
    Object.assign(this, { browser, origin, sessionId, browserContextId });
  }

  call(method, params) {
    return this.browser.call(method, params, this.sessionId);
  }

  notice(method, params) {
    this.#listeners.get(method)?.splice(0).forEach((resolve) => resolve(params));
    const notices = {
      "Network.requestWillBeSent": ({ requestId, request }) => {
        const { protocol, origin } = new URL(request.url);
        if (["data:", "blob:", "about:"].includes(protocol)) return;
        this.#under.add(requestId);
        if (origin !== this.origin) this.#foreign.set(requestId, request.url);
        if (origin !== this.origin) this.faults.push(`asks another origin for ${request.url}`);
      },
      "Network.responseReceived": ({ requestId, type, response: { url, status, headers, protocol } }) => {
        if (url.startsWith("data:")) return;
        const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
        this.responses.set(requestId, { url, type, status, protocol, headers: lower, bytes: 0 });
        if (status >= 400 && !this.expected.has(url)) this.faults.push(`${url} is answered ${status}`);
      },
      "Network.loadingFinished": ({ requestId, encodedDataLength }) => {
        this.#under.delete(requestId);
        const response = this.responses.get(requestId);
        if (response) response.bytes = encodedDataLength;
      },
      "Network.loadingFailed": ({ requestId, errorText, canceled, blockedReason }) => {
        this.#under.delete(requestId);
        // What the policy stops is not sent; that it was tried is a fault of its own.
        const foreign = `asks another origin for ${this.#foreign.get(requestId)}`;
        if (blockedReason) this.faults = this.faults.filter((fault) => fault !== foreign);
        if (!canceled) this.faults.push(`a request fails: ${errorText}${blockedReason ? ` (${blockedReason})` : ""}`);
      },
      "Runtime.exceptionThrown": ({ exceptionDetails: { text, exception } }) => this.faults.push(`exception: ${exception?.description ?? text}`),
      "Runtime.consoleAPICalled": ({ type, args }) =>
        this.faults.push(`console.${type}: ${args.map(({ value, description }) => value ?? description).join(" ")}`),
      "Log.entryAdded": ({ entry: { level, source, text, url } }) => {
        if (source === "network" && this.expected.has(url)) return;
        this.faults.push(`${level} of ${source}: ${text}`);
      },
      // That pictures below the window are loaded late is a note about what is meant.
      "Audits.issueAdded": ({ issue: { code, details } }) => code === "LazyLoadImageIssue" || this.faults.push(`issue ${code}: ${JSON.stringify(details, (name, value) => (/^(nodeId|frameId)$/.test(name) ? undefined : value))}`),
      "Fetch.requestPaused": ({ requestId }) => setTimeout(() => this.call("Fetch.continueRequest", { requestId }).catch(() => {}), this.#late),
      "Page.javascriptDialogOpening": ({ type, message }) => {
        this.faults.push(`a dialog of a script: ${type} ${message}`);
        this.call("Page.handleJavaScriptDialog", { accept: false });
      },
    };
    notices[method]?.(params);
  }

  /** The faults until now, each once; they are forgotten. */
  take() {
    return [...new Set(this.faults.splice(0))];
  }

  once(method) {
    return new Promise((resolve) => this.#listeners.set(method, [...(this.#listeners.get(method) ?? []), resolve]));
  }

  /** Runs a script before those of every page from now on, in place of the one before. */
  async observe(script) {
    if (this.#observer) await this.call("Page.removeScriptToEvaluateOnNewDocument", { identifier: this.#observer });
    this.#observer = (await this.call("Page.addScriptToEvaluateOnNewDocument", { source: `(${script})()` })).identifier;
  }

  /** Opens an address, and waits until everything is loaded and rendered. */
  async goto(url) {
    this.responses.clear();
    this.#under.clear();
    await this.loads(async () => {
      const { errorText } = await this.call("Page.navigate", { url });
      if (errorText) throw new Error(`${url} cannot be opened: ${errorText}`);
    });
  }

  /** Does something that loads another page, and waits for it. */
  async loads(action) {
    const loaded = this.once("Page.loadEventFired");
    await action();
    const late = Symbol();
    if ((await Promise.race([loaded, wait(15_000, late, { ref: false })])) === late) throw new Error("no page is loaded within 15 seconds");
    await this.settle();
  }

  /** Waits until no request is under way and the page is rendered. */
  async settle() {
    for (let calm = 0, tries = 0; calm < 2 && tries < 400; tries++) {
      calm = this.#under.size === 0 ? calm + 1 : 0;
      await wait(20);
    }
    // Timers and frames call nothing while scripts are switched off.
    if (this.#silent) await wait(150);
    else await this.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))).catch(() => {});
  }

  /** The result of a function that runs in the page; with `world`, in a world of its own, where the page's policy does not hold. */
  async evaluate(script, ...given) {
    return this.#run(script, given, {});
  }

  async evaluateApart(script, ...given) {
    const { frameTree } = await this.call("Page.getFrameTree");
    const { executionContextId } = await this.call("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "octavo" });
    return this.#run(script, given, { contextId: executionContextId });
  }

  async #run(script, given, where) {
    const expression = typeof script === "string" ? script : `(${script})(...${JSON.stringify(given)})`;
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true, ...where });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until a function of the page gives something true, and returns it. */
  async until(what, script, ...given) {
    const end = Date.now() + 5_000;
    for (;;) {
      const found = await this.evaluate(script, ...given).catch((error) => {
        // The page may be on its way to another one.
        if (/context|navigat/i.test(error.message)) return undefined;
        throw error;
      });
      if (found) return found;
      if (Date.now() > end) throw new Error(`${what}: not within 5 seconds`);
      await wait(25);
    }
  }

  size(width, height = 800) {
    return this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  media({ scheme = "light", print = false } = {}) {
    const features = [{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }];
    return this.call("Emulation.setEmulatedMedia", { media: print ? "print" : "", features });
  }

  scripts(enabled) {
    this.#silent = !enabled;
    return this.call("Emulation.setScriptExecutionDisabled", { value: !enabled });
  }

  /** Scripts come only after a while, or as soon as they can: so the page is rendered without them first. */
  async late(milliseconds) {
    this.#late = milliseconds;
    await this.call("Network.setCacheDisabled", { cacheDisabled: !!milliseconds });
    await (milliseconds ? this.call("Fetch.enable", { patterns: [{ resourceType: "Script" }] }) : this.call("Fetch.disable"));
  }

  /** A slow network, with milliseconds of latency and bytes a second; or the usual one. */
  slow({ latency = 0, throughput = -1 } = {}) {
    return this.call("Network.emulateNetworkConditions", { offline: false, latency, downloadThroughput: throughput, uploadThroughput: throughput });
  }

  /** Presses a key. `code` is where it is on the keyboard, if that differs from a US layout. */
  async press(key, { code, ...held } = {}) {
    const modifiers = Object.entries(MODIFIERS).reduce((sum, [name, bit]) => sum + (held[name] ? bit : 0), 0);
    const text = key === "Enter" ? "\r" : key.length === 1 && !held.ctrl && !held.meta && !held.alt ? key : undefined;
    const windowsVirtualKeyCode = CODES[key] ?? key.toUpperCase().charCodeAt(0);
    code ??= key.length > 1 ? key : key === "/" ? "Slash" : key === " " ? "Space" : `Key${key.toUpperCase()}`;
    const event = { key, code, modifiers, windowsVirtualKeyCode };
    const down = this.call("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...event });
    await Promise.all([down, this.call("Input.dispatchKeyEvent", { type: "keyUp", ...event })]);
  }

  /** Types a text, without waiting between its letters. */
  type(text) {
    return Promise.all([...text].map((letter) => this.press(letter)));
  }

  /** Clicks with the mouse at the middle of the first element of a selector that is shown. */
  async click(selector) {
    const place = await this.until(`${selector} to be clicked`, (selector) => {
      const shown = [...document.querySelectorAll(selector)].find((element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0);
      shown?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      const box = shown?.getClientRects()[0];
      return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, selector);
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
      await this.call("Input.dispatchMouseEvent", { type, ...place, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
    }
  }

  async picture() {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  async close() {
    await this.browser.call("Target.disposeBrowserContext", { browserContextId: this.browserContextId });
  }
}
