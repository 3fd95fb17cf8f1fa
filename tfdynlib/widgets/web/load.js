// Loads a table { path: text } of ES modules, in order of dependence, from blob URLs,
// so that modules import each other where a page cannot import files (file://, Lab).
// Equal code is one module on the page, however many figures or widgets bring it.
const tfdynLoad = (() => {
  const known = (globalThis.tfdynModules ??= new Map());
  return (table, entry) => {
    const urls = {};
    for (const [path, text] of Object.entries(table)) {
      const code =
        text.replace(/"tfdyn:([^"]+)"/g, (_, name) => JSON.stringify(urls[name])) +
        "\n//# sourceURL=tfdyn/" + path + "\n";
      if (!known.has(code)) {
        const blob = new Blob([code], { type: "text/javascript" });
        known.set(code, URL.createObjectURL(blob));
      }
      urls[path] = known.get(code);
    }
    return import(urls[entry]);
  };
})();
