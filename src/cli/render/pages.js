// Loads the pages again when there are new ones; the position on the page stays.
const main = document.querySelector("main");
new EventSource("events").onmessage = ({ data }) => {
  const { version, pages, errors } = JSON.parse(data);
  document.querySelector("#errors").hidden = !errors;
  while (main.children.length > pages) main.lastChild.remove();
  for (let page = 1; page <= pages; page += 1) {
    const image = main.children[page - 1] ?? main.appendChild(new Image());
    image.alt = `Page ${page}`;
    image.src = `${page}.svg?version=${version}`;
  }
};
