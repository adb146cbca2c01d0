// Loads the pages again when there are new ones; the position on the page stays.
const main = document.querySelector("main");
const findings = document.querySelector("#findings");
new EventSource("events").onmessage = ({ data }) => {
  const { version, pages, errors, report } = JSON.parse(data);
  findings.hidden = !errors && !report;
  findings.classList.toggle("errors", errors);
  findings.querySelector("p").textContent = !errors
    ? ""
    : pages
      ? "The document has errors. These are the last pages without them."
      : "The document has errors, so there are no pages yet.";
  findings.querySelector("pre").textContent = report;
  while (main.children.length > pages) main.lastChild.remove();
  for (let page = 1; page <= pages; page += 1) {
    const image = main.children[page - 1] ?? main.appendChild(new Image());
    image.alt = `Page ${page}`;
    image.src = `${page}.svg?version=${version}`;
  }
};
