// The button of pages for printing.
const button = document.querySelector(".o-print");
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
