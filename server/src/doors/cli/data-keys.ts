import type { Command } from 'commander'
import { runExclusively } from '../../foundation/db/pool.ts'
import { prependToKeyFile } from '../../foundation/encryption/keyring-file.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import { generateDataKey } from '../../foundation/kernel/seal.ts'
import { formatNumber } from '../../foundation/kernel/time.ts'
import { type DataKeyStatus, readDataKeyStatus, resealEverything } from '../../operations/resealing/reseal.ts'
import { type Cli, printResult, withCatalogue } from './context.ts'
import { formatTable, showCountProgress } from './output.ts'

const procedure = `
To replace a key without stopping:
  1. put a new one in front of the keyring: "data-keys add" for the file in DATA_DIR;
     for DATA_KEYS, "data-keys generate" prints an entry: DATA_KEYS=<new entry>,<old entries>
  2. restart every server, so that all of them open what the new key seals; no imports until then
  3. data-keys reseal
  4. data-keys status, until nothing is sealed with the old key; then take it out, and restart`

export function addDataKeyCommands(group: Command, cli: Cli): void {
  group.addHelpText('after', procedure)

  group
    .command('generate')
    .description('print a new key as an entry for DATA_KEYS')
    .action((_flags: object, command: Command) => {
      const entry = generateDataKey()
      printResult(cli, command, { entry }, entry)
    })

  group
    .command('add')
    .description('add a new key at the front of the file in DATA_DIR')
    .addHelpText('after', procedure)
    .action((_flags: object, command: Command) =>
      withCatalogue(cli, async ({ config, databaseUrl }) => {
        if (config.dataKeys)
          throw new OperatorError(
            'DATA_KEYS is set, so the file in DATA_DIR is not read. Put an entry that "storedex data-keys generate" prints in front of DATA_KEYS instead.',
          )
        const id = await runExclusively(databaseUrl, () => prependToKeyFile(config.dataDir))
        const text = `Added data key ${id}. Restart every server before anything is imported, then run "storedex data-keys reseal".`
        printResult(cli, command, { id }, text)
      }),
    )

  group
    .command('status')
    .description('show how much data is sealed with each key')
    .action((_flags: object, command: Command) =>
      withCatalogue(cli, async (deps) => {
        const keys = await readDataKeyStatus(deps)
        printResult(cli, command, { keys }, formatStatus(keys))
      }),
    )

  group
    .command('reseal')
    .description('seal all data with the first key while servers run; resumes after an interruption')
    .addHelpText('after', procedure)
    .action((_flags: object, command: Command) =>
      withCatalogue(cli, async (deps) => {
        const progress = cli.stderr.isTTY ? showCountProgress(cli.stderr) : undefined
        try {
          const result = await resealEverything(deps, progress?.show)
          progress?.end()
          printResult(cli, command, result, formatReseal(result))
        } finally {
          progress?.end()
        }
      }),
    )
}

function formatStatus(keys: readonly DataKeyStatus[]): string {
  return formatTable(
    ['key', 'use', 'contacts', 'kept replies', 'identity key'],
    keys.map(({ id, in_keyring, seals, contacts, replies, identity_key }) => [
      id,
      seals ? 'seals' : in_keyring ? 'opens' : 'not in the keyring',
      formatNumber(contacts),
      formatNumber(replies),
      identity_key ? 'yes' : '-',
    ]),
  )
}

function formatReseal({ resealed, remaining }: { resealed: number; remaining: number }): string {
  const done = `Resealed ${formatNumber(resealed)} values.`
  return remaining === 0
    ? `${done} No data is sealed with an older key: it can be removed from the keyring.`
    : `${done} ${formatNumber(remaining)} were sealed with an older key meanwhile: restart the servers that still use it, then run this again.`
}
