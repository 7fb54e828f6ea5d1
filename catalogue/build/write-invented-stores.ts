/** npx tsx catalogue/build/write-invented-stores.ts: rewrites the demonstration and the sandbox catalogue. */
import { demoStores } from './demo/stores.ts'
import { writeRecords } from './ndjson.ts'
import { sandboxStores } from './sandbox/stores.ts'

writeRecords('demo/stores.ndjson', demoStores())
writeRecords('sandbox/stores.ndjson', sandboxStores())
