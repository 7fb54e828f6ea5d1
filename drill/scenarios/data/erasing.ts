import { join } from 'node:path'
import { generateContacts } from '../../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../../server/test/support/records/store-records.ts'
import { checkInvariants, openInstallation } from '../../installation/installation.ts'
import { importRecords, writeRecords } from '../../installation/seed.ts'
import type { Scenario } from '../../scenario.ts'

const stores = 3_000

export const erasing: Scenario = {
  name: 'erasing',
  title: 'erasing people beside imports of the same people',
  expected:
    'people are erased by their email address while imports bring the same people again and again. When all is over, nobody who was erased is on file, and another import does not bring them back.',

  async run(drill) {
    const installation = await openInstallation(drill)
    const { commands } = installation
    const records = [...generateStores(stores, 13)]
    const people = [...generateContacts(records, 3, 13)]
    await importRecords(commands, 'stores', join(drill.folder, 'stores.ndjson'), records)
    const file = join(drill.folder, 'people.ndjson')
    await importRecords(commands, 'contacts', file, people)
    const reachable = people.flatMap(({ emails }) => emails?.[0]?.email ?? [])
    const wanted = Array.from({ length: drill.isShort ? 4 : 24 }, () => drill.random.pick(reachable))

    // Imports reject records of erased contacts, as expected.
    const importBesideErasing = (contacts: readonly object[]) => {
      writeRecords(file, contacts)
      return commands.run('import', 'contacts', file)
    }
    let isErasing = true
    let runs = 0
    const importing = async () => {
      // Change all records, so that each run writes.
      while (isErasing) {
        runs++
        const changed = people.map((person) => ({ ...person, title: `Title ${runs}` }))
        await importBesideErasing(changed)
      }
    }
    let erased = 0
    const erase = async (email: string) => {
      erased += (await commands.run<{ erased: number }>('contacts', 'erase', '--email', email)).erased
    }
    const eraseAll = async () => {
      try {
        for (const email of wanted) await erase(email)
      } finally {
        isErasing = false
      }
    }
    await Promise.all([importing(), eraseAll()])
    drill.check('people were erased beside imports', erased > 0 && runs > 1, `${erased} people during ${runs} imports`)
    await importBesideErasing(people)
    erased = 0
    for (const email of new Set(wanted)) await erase(email)
    drill.check('nobody erased is on file afterwards', erased === 0, `${erased} people found`)
    await checkInvariants(drill, installation)
  },
}
