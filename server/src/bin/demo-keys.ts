import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountsContext } from '../accounts/account.ts'
import { createAccount } from '../accounts/change-account.ts'
import { findAccountByEmail } from '../accounts/read-account.ts'
import { scopes } from '../auth/caller.ts'
import { createKey, findKey } from '../auth/keys.ts'
import { runExclusively } from '../db/pool.ts'
import type { Deps } from '../deps.ts'
import { importDemonstration, importSandbox } from '../imports/demo.ts'
import { OperatorError } from '../kernel/errors.ts'
import type { Mode } from '../kernel/ids.ts'

/** One key of the demonstration account for either mode, and where they are kept. */
export interface DemoKeys extends Record<Mode, string> {
  file: string
  /** Made by this start: nobody has seen them yet. */
  areNew: boolean
}

const demoEmail = 'demonstration@storedex.example'

/**
 * The demonstration account's keys: made at the first start and kept in a file that only its owner can read, because the
 * database cannot tell them again. Null once one of them was ended or its account lost access: that stays as decided.
 */
export async function ensureDemoKeys(deps: Deps): Promise<DemoKeys | null> {
  const ctx = { db: deps.db, ids: deps.ids, now: deps.clock.now() }
  const file = join(deps.config.dataDir, 'demo-keys.json')
  const kept = await readKeys(file)
  if (kept) {
    const [live, test] = [await findKey(ctx, kept.live), await findKey(ctx, kept.test)]
    if (live && test)
      return live.status === 'active' && test.status === 'active' ? { ...kept, file, areNew: false } : null
  }

  const account = (await findAccountByEmail(ctx, demoEmail)) ?? (await openDemoAccount(ctx))
  if (!account.accessOpen) return null
  const accountId = deps.ids.seal('account', account.id)
  const issue = async (mode: Mode) =>
    (await createKey(ctx, accountId, { name: `demonstration, ${mode}`, mode, scopes })).key
  const keys = { live: await issue('live'), test: await issue('test') }
  await writeKeys(deps.config.dataDir, file, keys)
  return { ...keys, file, areNew: true }
}

function openDemoAccount(ctx: AccountsContext) {
  return createAccount(ctx, { name: 'Demonstration', email: demoEmail, plan: 'pro' })
}

/** Undefined when there is no such file, or it was made unreadable; then new keys take their place. */
async function readKeys(file: string): Promise<Record<Mode, string> | undefined> {
  try {
    const { live, test } = JSON.parse(await readFile(file, 'utf8')) as Partial<Record<Mode, string>>
    return typeof live === 'string' && typeof test === 'string' ? { live, test } : undefined
  } catch {
    return undefined
  }
}

async function writeKeys(dataDir: string, file: string, keys: Record<Mode, string>): Promise<void> {
  const aside = `${file}.${process.pid}`
  try {
    // The embedded database has made the folder already; with another one it is made here.
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await writeFile(aside, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
    await rename(aside, file)
  } catch (cause) {
    throw new OperatorError(
      `The demonstration's keys cannot be kept in ${file}: make the folder writable or set DEMO=0.`,
      {
        cause,
      },
    )
  }
}

/**
 * What a first start adds to an empty database, and a later one finds done: the sandbox that test keys see, and unless
 * the operator starts empty, the demonstration with keys to try it. Of several starters one does it, the others wait.
 */
export function prepareCatalogueAndKeys(deps: Deps): Promise<DemoKeys | null> {
  const folder = (name: string) => join(deps.config.projectDir, 'catalogue', name)
  return runExclusively(deps.databaseUrl, async () => {
    await importSandbox(deps, folder('sandbox'))
    if (!deps.config.demo) return null
    await importDemonstration(deps, folder('demo'))
    return ensureDemoKeys(deps)
  })
}
