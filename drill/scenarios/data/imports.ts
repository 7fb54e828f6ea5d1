import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { generateContacts } from '../../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../../server/test/support/records/store-records.ts'
import { CommandLine } from '../../installation/command.ts'
import { checkInvariants, copySeed, openInstallation } from '../../installation/installation.ts'
import { withDatabase } from '../../installation/processes.ts'
import { writeRecords } from '../../installation/seed.ts'
import type { Drill, Scenario } from '../../scenario.ts'

/** Records of one chunk, so that there are several chunks for each kill. */
const chunk = 2_000

export const imports: Scenario = {
  name: 'imports',
  title: 'an import killed in mid-write, again and again',
  expected:
    'the imports of a file of stores and of one of their people are killed 50 times, each time soon after a chunk was written, beside the running service; then they run to their end. The catalogue equals the one of an undisturbed import.',

  async run(drill) {
    const kills = drill.isShort ? 5 : 50
    const files = writeFiles(drill, (kills / 2 + 2) * chunk)
    const installation = await openInstallation(drill)
    let killed = 0
    for (const [kind, file] of files)
      for (let time = 0; time < kills / 2; time++)
        if (await killInMidWrite(drill, installation.commands, installation.dataDir, kind, file)) killed++
    drill.check(`imports are killed in mid-write`, killed >= kills * 0.8, `${killed} times`)
    for (const [kind, file] of files) await installation.commands.run('import', kind, file)
    const disturbed = await digestCatalogue(installation.dataDir)
    await checkInvariants(drill, installation)
    await installation.service.stop()

    const { dataDir } = await copySeed(drill, join(drill.folder, 'undisturbed'))
    const commands = new CommandLine({ DATA_DIR: dataDir }, drill.cleanup)
    for (const [kind, file] of files) await commands.run('import', kind, file)
    const undisturbed = await digestCatalogue(dataDir)
    const isSame = JSON.stringify(disturbed) === JSON.stringify(undisturbed)
    const came = `${JSON.stringify(disturbed)} after the kills, ${JSON.stringify(undisturbed)} undisturbed`
    drill.check('the catalogue equals that of an undisturbed import', isSame, came)
  },
}

type Kind = 'stores' | 'contacts'

function writeFiles({ folder }: Drill, stores: number): [Kind, string][] {
  const records = [...generateStores(stores, 11)]
  const write = (kind: Kind, lines: Iterable<object>): [Kind, string] => {
    const file = join(folder, `${kind}.ndjson`)
    writeRecords(file, [...lines])
    return [kind, file]
  }
  return [write('stores', records), write('contacts', generateContacts(records, 1))]
}

/** Kills an import shortly after its next committed chunk; false when it ended before. */
async function killInMidWrite(
  { random }: Drill,
  commands: CommandLine,
  dataDir: string,
  kind: Kind,
  file: string,
): Promise<boolean> {
  return withDatabase(dataDir, async (client) => {
    const newestBatch = async () => {
      const { rows } = await client.query<{ batch: string }>('select batch from catalogue_state')
      return rows[0]!.batch
    }
    const before = await newestBatch()
    const { child, end } = commands.start('import', kind, file)
    let isOver = false
    const ended = end.then(() => {
      isOver = true
    })
    while (!isOver && (await newestBatch()) === before) await delay(3)
    await delay(random.below(60))
    const isKilled = !isOver && child.kill('SIGKILL')
    await ended
    return isKilled
  })
}

/** Digest of a catalogue without ids and batches, which depend on the order of imports. */
interface CatalogueDigest {
  stores: number
  contacts: number
  hosts: number
  digest: string
}

function digestCatalogue(dataDir: string): Promise<CatalogueDigest> {
  return withDatabase(dataDir, async (client) => {
    const { rows } = await client.query<CatalogueDigest>(
      `select (select count(*)::integer from stores where mode = 'live') as stores,
              (select count(*)::integer from contacts c join stores s on s.id = c.store_id where s.mode = 'live') as contacts,
              (select count(*)::integer from store_domains) as hosts,
              (select md5(string_agg(md5((s.document::jsonb - 'id')::text), '' order by s.document::jsonb ->> 'domain'))
               from stores s
               where s.mode = 'live') as digest`,
    )
    return rows[0]!
  })
}
