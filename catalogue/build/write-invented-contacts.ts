/** npx tsx catalogue/build/write-invented-contacts.ts: rewrites the people of the demonstration and of the sandbox. */
import { writeRecords } from './ndjson.ts'
import { sandboxContacts } from './sandbox-contacts.ts'

writeRecords('sandbox/contacts.ndjson', sandboxContacts())
