const options = JSON.parse(atob(document.getElementById("quarto-axe-checker-options").textContent));
const { default: axe } = await import("https://cdn.jsdelivr.net/npm/axe-core@4.10.3/+esm");
const result = await axe.run({ exclude: ["[data-tippy-root]"] }, { preload: { assets: ["cssom"], timeout: 50000 } });
if (options.output === "json") {
  console.log(JSON.stringify(result, null, 2));
} else if (options.output === "document") {
  const report = document.createElement("section");
  report.className = "quarto-axe-report";
  report.setAttribute("aria-label", "axe");
  if (result.violations.length === 0) report.textContent = "No axe-core violations found.";
  for (const violation of result.violations) {
    const item = report.appendChild(document.createElement("p"));
    item.textContent = `${violation.impact}: ${violation.help}`;
    for (const node of violation.nodes) {
      item.appendChild(document.createElement("br"));
      item.appendChild(document.createElement("code")).textContent = node.target.join(" ");
    }
  }
  (document.querySelector("main") ?? document.body).appendChild(report);
} else {
  for (const violation of result.violations) {
    console.log(`${violation.impact}: ${violation.help}`, violation.nodes.map((node) => document.querySelector(node.target[0])));
  }
}
