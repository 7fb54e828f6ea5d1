/** npx tsx catalogue/build/write-real-shops.ts <brands.csv>: rewrites catalogue/demo/real-shops.ndjson. */
import { readFileSync } from 'node:fs'
import { convertBrands } from '../../docs/examples/convert-nsi-brands.mjs'
import { writeStores } from './store-record.ts'

const [file] = process.argv.slice(2)
if (!file) throw new Error('usage: npx tsx catalogue/build/write-real-shops.ts <brands.csv>')
writeStores('demo/real-shops.ndjson', convertBrands(readFileSync(file, 'utf8')))
