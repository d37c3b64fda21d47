// pictures.mjs [--update] [SHOTS]: takes a picture of each state of the panel at three widths in
// four themes, and compares it with the one that is stored in pictures/. Exits with 1 when one
// looks different; its pictures are then in the temporary directory. With --update it stores
// the pictures in place of comparing them: look at them in SHOTS first.
//
// The stored pictures are reduced to a tenth: each pixel is the average color of 10 by 10. So they
// are small, and the smoothing of letters, which differs between machines, does not count. The
// fonts are loaded from npm, as lines would otherwise break elsewhere on another machine. The
// answer is stored too: that of a server changes with its ranking and with the version of Go.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "../lib/browser.mjs";
import { printMeasured, runSteps } from "../lib/steps.mjs";
import { PanelPage, themes } from "./panelPage.mjs";
import { statesOf } from "./states.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const update = process.argv.includes("--update");
const [shots] = process.argv.slice(2).filter((a) => a !== "--update").map((a) => resolve(a));
const dir = mkdtempSync(join(tmpdir(), "ambit-panel-pictures-"));
const states = statesOf(JSON.parse(readFileSync(join(here, "answer.json"), "utf8")));
const widths = [300, 520, 900];

/** The side of the square that becomes one stored pixel. */
const reduction = 10;
/** A stored pixel is different when one of its three colors is further away than this, of 255. */
const maxDistance = 12;
/** The share of different pixels from which on a picture looks different. An icon that is missing at 300 pixels is 0.13 %. */
const maxDifferent = 0.0012;

const font = (file) => pathToFileURL(join(here, "../../node_modules/@fontsource", file)).href;
const face = (family, weight, file) => `@font-face { font-family: "${family}"; font-weight: ${weight}; src: url("${font(file)}"); }`;
const look = {
  variables: { "--vscode-font-family": "Sans", "--vscode-editor-font-family": "Mono" },
  style: [
    face("Sans", 400, "dejavu-sans/files/dejavu-sans-latin-400-normal.woff2"),
    face("Sans", 700, "dejavu-sans/files/dejavu-sans-latin-700-normal.woff2"),
    face("Mono", 400, "dejavu-mono/files/dejavu-mono-latin-400-normal.woff2"),
    face("Mono", 700, "dejavu-mono/files/dejavu-mono-latin-700-normal.woff2"),
  ].join("\n"),
};

let browser;
let page;
let panel;
let studio; // a blank page with a canvas
let most = 0;

const steps = [
  ...Object.keys(themes).flatMap((theme) =>
    widths.map((width) => [`the panel looks as before in ${theme} at ${width} pixels`, async () => {
      const file = join(here, "pictures", `${theme}-${width}.png`);
      const sheet = await take(theme, width);
      if (update) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, Buffer.from(sheet.png, "base64"));
        return;
      }
      const shares = await compare(sheet, readFileSync(file).toString("base64"));
      const different = Object.keys(states).filter((_, i) => shares[i] > maxDifferent);
      most = Math.max(most, ...shares);
      assert.deepEqual(different.map((name) => `${name}: ${(100 * shares[Object.keys(states).indexOf(name)]).toFixed(2)} %`), [], `look at ${keep(sheet, theme, width)}; if it should look so: node tests/page/pictures.mjs --update`);
    }]),
  ),
  ...Object.entries({
    "a color": ".level { background: transparent !important; }",
    "a missing icon": "header .icon-refresh { visibility: hidden; }",
    "a line that is higher": "h2 { padding-bottom: 8px !important; }",
    "a text that is cut off": ".reasons { display: none; }",
  }).map(([name, style]) => [`${name} is a difference that is found`, async () => {
    const file = join(here, "pictures", "vscode-dark-300.png");
    const [share] = await compare(await take("vscode-dark", 300, { names: ["an answer"], style }), readFileSync(file).toString("base64"));
    assert.ok(share > maxDifferent, `${(100 * share).toFixed(2)} %`);
  }]),
];

/** Takes a picture of each state, and returns the reduced ones below one another. */
async function take(theme, width, { names = Object.keys(states), style = "" } = {}) {
  const whole = [];
  for (const name of names) {
    await panel.load(theme, { width, variables: look.variables, style: look.style + style });
    await panel.paint(states[name]);
    await panel.color(states[name]);
    const picture = await page.screenshot({ animations: "disabled" });
    if (shots && style === "") {
      mkdirSync(shots, { recursive: true });
      writeFileSync(join(shots, `${theme}-${width}-${name.replaceAll(" ", "-")}.png`), picture);
    }
    whole.push(picture.toString("base64"));
  }
  return { ...(await studio.evaluate(reduce, { whole, reduction })), whole };
}

/** Keeps the whole pictures of a sheet. Returns their directory. */
function keep(sheet, theme, width) {
  const kept = join(tmpdir(), `ambit-panel-${theme}-${width}`);
  mkdirSync(kept, { recursive: true });
  sheet.whole.forEach((picture, i) => writeFileSync(join(kept, `${Object.keys(states)[i].replaceAll(" ", "-")}.png`), Buffer.from(picture, "base64")));
  return kept;
}

const compare = (sheet, stored) => studio.evaluate(distances, { taken: sheet.png, stored, rows: sheet.rows, maxDistance });

/** Runs in the page: averages squares of pictures, and returns them below one another. Each has the same height in rows. */
async function reduce({ whole, reduction }) {
  const pictures = await Promise.all(whole.map(async (data) => createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())));
  const [columns, rows] = [pictures[0].width / reduction, pictures[0].height / reduction];
  const sheet = new OffscreenCanvas(columns, rows * pictures.length);
  const to = sheet.getContext("2d");
  for (const [n, picture] of pictures.entries()) {
    const from = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    from.drawImage(picture, 0, 0);
    const { data } = from.getImageData(0, 0, picture.width, picture.height);
    const small = new ImageData(columns, rows);
    const sums = new Float64Array(columns * rows * 4);
    for (let y = 0; y < picture.height; y++) {
      for (let x = 0; x < picture.width; x++) {
        for (let c = 0; c < 4; c++) {
          sums[(Math.floor(y / reduction) * columns + Math.floor(x / reduction)) * 4 + c] += data[(y * picture.width + x) * 4 + c];
        }
      }
    }
    sums.forEach((sum, i) => (small.data[i] = sum / reduction ** 2));
    to.putImageData(small, 0, n * rows);
  }
  const bytes = new Uint8Array(await (await sheet.convertToBlob({ type: "image/png" })).arrayBuffer());
  return { png: btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")), rows };
}

/** Runs in the page: returns the share of different pixels of each picture of a sheet. */
async function distances({ taken, stored, rows, maxDistance }) {
  const [a, b] = await Promise.all(
    [taken, stored].map(async (data) => {
      const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      context.drawImage(picture, 0, 0);
      return context.getImageData(0, 0, picture.width, picture.height);
    }),
  );
  if (a.width !== b.width || a.height > b.height) {
    throw new Error(`${a.width}×${a.height} are not ${b.width}×${b.height}`);
  }
  const different = Array.from({ length: a.height / rows }, () => 0);
  for (let i = 0; i < a.data.length; i += 4) {
    if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > maxDistance)) {
      different[Math.floor(i / 4 / a.width / rows)]++;
    }
  }
  return different.map((n) => n / (a.width * rows));
}

try {
  browser = await launch(["--font-render-hinting=none", "--force-color-profile=srgb"]);
  page = await browser.newPage({ reducedMotion: "reduce" });
  studio = await browser.newPage();
  panel = new PanelPage(page, dir);
  await runSteps("panel-pictures", steps, () => ({ page }));
  printMeasured({ "the most different picture, % of its pixels": (100 * most).toFixed(3) });
} finally {
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
}
