// Makes the page of the extension from README.md. VS Code shows pictures of an installed
// extension's page by their HTTPS address only, neither from the package nor embedded: while
// package.json names no repository, the page has none, rather than broken ones. The
// walkthrough has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the text of the page. A user of the package has no checkout to work on. */
export function page(folder) {
  const [text] = readFileSync(join(folder, "README.md"), "utf8").split("\n## Work on it\n");
  if (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).repository) {
    return text; // vsce makes the links absolute
  }
  const plain = text.replace(/^!\[[^\]]*\]\(media\/[^)]*\)\n\n?/gm, "");
  return plain.replace(/\[((?:[^[\]]|\n)+)\]\((?![a-z]+:|#)[^)]*\)/g, "$1");
}
