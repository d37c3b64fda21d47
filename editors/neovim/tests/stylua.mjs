// stylua.mjs PACKAGE STYLUA.TOML [--write] FILE…: checks the format of files with StyLua, and
// exits with 1 when one differs. With --write it formats them.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [library, settings, ...args] = process.argv.slice(2);
const stylua = createRequire(import.meta.url)(library);
const write = args[0] === '--write' && args.shift();

const value = (name) => new RegExp(`^${name} = "?([^"\\n]+)"?$`, 'm').exec(readFileSync(settings, 'utf8'))[1];
const config = () => {
  const c = stylua.Config.new();
  c.column_width = Number(value('column_width'));
  c.indent_type = stylua.IndentType[value('indent_type')];
  c.indent_width = Number(value('indent_width'));
  c.quote_style = stylua.QuoteStyle[value('quote_style')];
  return c;
};

for (const file of args) {
  const text = readFileSync(file, 'utf8');
  const formatted = stylua.formatCode(text, config(), undefined, stylua.OutputVerification.Full);
  if (formatted === text) continue;
  if (write) writeFileSync(file, formatted);
  else {
    const lines = formatted.split('\n');
    const line = text.split('\n').findIndex((l, i) => l !== lines[i]);
    console.error(`${file}:${line + 1}: StyLua formats this line as: ${lines[line]}`);
    process.exitCode = 1;
  }
}
