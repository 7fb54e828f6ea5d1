/**
 * Rewrites the import records of the demonstration and of the sandbox.
 *
 *   npx tsx catalogue/build/write-records.ts invented
 *   npx tsx catalogue/build/write-records.ts real-shops <brands.csv>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { convertBrands } from '../../docs/examples/convert-nsi-brands.mjs'
import { demoContacts } from './demo/contacts.ts'
import { demoHistories } from './demo/history.ts'
import { demoStores } from './demo/stores.ts'
import { toNdjson } from './records.ts'
import { sandboxContacts } from './sandbox/contacts.ts'
import { sandboxStores } from './sandbox/stores.ts'

const [what, file] = process.argv.slice(2)
if (what === 'invented') {
  write('demo/stores.ndjson', demoStores())
  write('demo/contacts.ndjson', demoContacts())
  write('demo/history.ndjson', demoHistories())
  write('sandbox/stores.ndjson', sandboxStores())
  write('sandbox/contacts.ndjson', sandboxContacts())
} else if (what === 'real-shops' && file) write('demo/real-shops.ndjson', convertBrands(readFileSync(file, 'utf8')))
else throw new Error('usage: npx tsx catalogue/build/write-records.ts invented | real-shops <brands.csv>')

/** The name is relative to the catalogue folder. */
function write(name: string, records: readonly object[]): void {
  writeFileSync(new URL(`../${name}`, import.meta.url), toNdjson(records))
}
