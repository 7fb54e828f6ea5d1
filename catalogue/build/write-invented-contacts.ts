/** npx tsx catalogue/build/write-invented-contacts.ts: rewrites the people of the demonstration and of the sandbox. */
import { demoContacts } from './demo/contacts.ts'
import { writeRecords } from './ndjson.ts'
import { sandboxContacts } from './sandbox/contacts.ts'

writeRecords('demo/contacts.ndjson', demoContacts())
writeRecords('sandbox/contacts.ndjson', sandboxContacts())
