/*
 * Check that src/zh_CN.json has every word of the panel and no other, and copy it to where JupyterLab's
 * server looks for the words of the settings (`jlpm messages`).
 */

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const HERE = dirname(fileURLToPath(import.meta.url));
const SRC = join(HERE, '..', 'src');
const SCHEMA = join(HERE, '..', 'schema', 'panel.json');
const CATALOGUE = join(SRC, 'zh_CN.json');
const COPY = join(
  HERE,
  '../../jupyter_linda/locale/zh_CN/LC_MESSAGES/jupyter_linda.json'
);

function inCode() {
  /** Each text with the number of forms it needs. */
  const found = new Map();
  for (const name of readdirSync(SRC, { recursive: true })) {
    if (!/\.tsx?$/.test(name)) {
      continue;
    }
    const text = readFileSync(join(SRC, name), 'utf8');
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    const visit = node => {
      if (
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        ['__', '_n'].includes(node.expression.name.text) &&
        ts.isStringLiteralLike(node.arguments[0])
      ) {
        const isPlural = node.expression.name.text === '_n';
        found.set(node.arguments[0].text, isPlural ? 2 : 1);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

/** Titles and descriptions of the settings, under the context JupyterLab looks them up with. */
function inSchema() {
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  const found = [`schema\u0004${schema.title}`];
  for (const property of Object.values(schema.properties)) {
    found.push(
      `settings\u0004${property.title}`,
      `settings\u0004${property.description}`
    );
  }
  return found;
}

const wanted = new Map([...inCode(), ...inSchema().map(text => [text, 1])]);
const text = readFileSync(CATALOGUE, 'utf8');
const catalogue = JSON.parse(text);
/* JupyterLab takes a plural only from a list of at least two forms, also where a language has one. */
const missing = [...wanted.keys()].filter(
  text => catalogue[text]?.filter(Boolean).length !== wanted.get(text)
);
const stale = Object.keys(catalogue).filter(text => text && !wanted.has(text));
for (const text of missing) {
  console.log('missing', JSON.stringify(text));
}
for (const text of stale) {
  console.log('stale', JSON.stringify(text));
}
console.log(
  `${wanted.size} messages, ${missing.length} missing, ${stale.length} stale`
);
writeFileSync(COPY, text);
process.exitCode = missing.length + stale.length > 0 ? 1 : 0;
