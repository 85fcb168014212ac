// The button of pages for printing.
document.querySelector(".o-print")?.addEventListener("click", () => print());
