// A short film of a window, as a GIF.
import gifenc from "gifenc";

const { applyPalette, GIFEncoder, quantize } = gifenc;

/** The colors of a film. More of them make a larger file, and text is legible with these. */
const maxColors = 96;

/** Collects screenshots, each shown for a while. */
export class Film {
  #pictures = [];
  #page;

  constructor(page) {
    this.#page = page;
  }

  /** Takes a picture that is shown for some seconds. */
  async take(seconds) {
    this.#pictures.push({ png: (await this.#page.screenshot({ animations: "disabled" })).toString("base64"), seconds });
  }

  /** Returns the GIF, reduced to a width. A browser makes the pictures smaller. */
  async gif(browser, width) {
    const studio = await browser.newPage();
    const frames = [];
    for (const { png, seconds } of this.#pictures) {
      const { data, ...size } = await studio.evaluate(pixels, { png, width });
      frames.push({ rgba: new Uint8Array(Buffer.from(data, "base64")), seconds, ...size });
    }
    await studio.close();
    const palette = quantize(Buffer.concat(frames.map((f) => f.rgba)), maxColors);
    const encoder = GIFEncoder();
    for (const f of frames) {
      encoder.writeFrame(applyPalette(f.rgba, palette), f.width, f.height, { palette, delay: 1000 * f.seconds });
    }
    encoder.finish();
    return encoder.bytes();
  }
}

/** Runs in a page: returns the pixels of a picture, reduced to a width. */
async function pixels({ png, width }) {
  const whole = await (await fetch(`data:image/png;base64,${png}`)).blob();
  const picture = await createImageBitmap(whole, { resizeWidth: width, resizeQuality: "high" });
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  let text = "";
  for (let i = 0; i < data.length; i += 32_768) {
    text += String.fromCharCode(...data.subarray(i, i + 32_768));
  }
  return { data: btoa(text), width: picture.width, height: picture.height };
}
