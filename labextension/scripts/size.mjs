/* Bytes of the panel's scripts and styles after `jlpm build:prod`, views opened later included: at most 400 kB. */

import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMIT_BYTES = 400_000;
const STATIC = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../jupyter_linda/labextension/static'
);

let total = 0;
for (const name of readdirSync(STATIC).filter(one => one.endsWith('.js'))) {
  const bytes = statSync(join(STATIC, name)).size;
  total += bytes;
  console.log(String(bytes).padStart(8), name);
}
console.log(`${total} bytes, limit ${LIMIT_BYTES}`);
process.exitCode = total > LIMIT_BYTES ? 1 : 0;
