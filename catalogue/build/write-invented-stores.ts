/** npx tsx catalogue/build/write-invented-stores.ts: rewrites the demonstration and the sandbox catalogue. */
import { demoStores } from './demo-stores.ts'
import { sandboxStores } from './sandbox-stores.ts'
import { writeStores } from './store-record.ts'

writeStores('demo/stores.ndjson', demoStores())
writeStores('sandbox/stores.ndjson', sandboxStores())
