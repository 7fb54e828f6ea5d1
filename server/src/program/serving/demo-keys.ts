import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importDemonstration, importSandbox } from '../../catalogue/imports/demo/demo.ts'
import { findAccountByEmail } from '../../customers/accounts/read-account.ts'
import { createAccount } from '../../customers/administration/change-account.ts'
import { system } from '../../customers/auth/actor.ts'
import { scopes } from '../../customers/auth/caller.ts'
import { createKey } from '../../customers/keys/create-key.ts'
import { findKeyStatus } from '../../customers/keys/find-keys.ts'
import { runExclusively } from '../../foundation/db/pool.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { Deps } from '../../operations/deps.ts'
import { ensureExamples } from './demo-examples.ts'
import { demoEmail, ensureDemoUser } from './demo-user.ts'

/** A key of the demonstration account for each mode, and the file that stores them. */
export interface DemoKeys extends Record<Mode, string> {
  file: string
  /** Whether this start created them, so that they were not shown before. */
  areNew: boolean
}

/**
 * Returns the demonstration account's keys. They are created at the first start and stored in a file that only its
 * owner can read, because the database stores only hashes. Null after a key was revoked or suspended or the account
 * lost access: that decision stands.
 */
async function ensureDemoKeys(deps: Deps): Promise<DemoKeys | null> {
  const { db, ids, plans } = deps
  const ctx = { db, ids, publicUrl: null, now: deps.clock.now(), actor: system, readPlans: async () => plans }
  const file = keysFileIn(deps.config.dataDir)
  const stored = await readKeys(file)
  if (stored) {
    const [live, test] = [await findKeyStatus(ctx, stored.live), await findKeyStatus(ctx, stored.test)]
    if (live && test) return live === 'active' && test === 'active' ? { ...stored, file, areNew: false } : null
  }

  const account =
    (await findAccountByEmail(ctx, demoEmail)) ??
    (await createAccount(ctx, { name: 'Demonstration', email: demoEmail, plan: 'pro' }))
  if (!account.accessOpen) return null
  const issue = async (mode: Mode) =>
    (await createKey(ctx, account.id, { name: `demonstration, ${mode}`, mode, scopes })).secret
  const keys = { live: await issue('live'), test: await issue('test') }
  await writeStored(deps.config.dataDir, keys)
  return { ...keys, file, areNew: true }
}

/** Undefined for a missing or unreadable file; then new keys are created. */
async function readKeys(file: string): Promise<Record<Mode, string> | undefined> {
  const { live, test } = await readStored(file)
  return typeof live === 'string' && typeof test === 'string' ? { live, test } : undefined
}

/**
 * Stores the link that signs in to the console beside the keys, or removes the one of an earlier start; returns the file. Commands
 * and other starts write it whole.
 */
export async function storeConsoleLink(dataDir: string, link: string | null): Promise<string> {
  const file = keysFileIn(dataDir)
  const { console_link: former, ...keys } = await readStored(file)
  if (link !== null) await writeStored(dataDir, { ...keys, console_link: link })
  else if (former !== undefined) await writeStored(dataDir, keys)
  return file
}

const keysFileIn = (dataDir: string) => join(dataDir, 'demo-keys.json')

async function readStored(file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  } catch {
    return {}
  }
}

async function writeStored(dataDir: string, content: Readonly<Record<string, unknown>>): Promise<void> {
  const file = keysFileIn(dataDir)
  const temporaryFile = `${file}.${process.pid}`
  try {
    // The embedded database has created the folder already; with an external one it is created here.
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await writeFile(temporaryFile, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    await rename(temporaryFile, file)
  } catch (cause) {
    throw new OperatorError(
      `The keys and the link of the demonstration cannot be stored in ${file}: make the folder writable or set DEMO=0.`,
      {
        cause,
      },
    )
  }
}

/**
 * Loads the initial data into an empty database: the sandbox for test keys and, unless DEMO=0, the demonstration
 * catalogue, its keys, its person and what the API's examples use. A later start finds it done. Of several concurrent starts one does it and the others wait.
 */
export function prepareCatalogueAndKeys(deps: Deps): Promise<DemoKeys | null> {
  const folder = (name: string) => join(deps.config.projectDir, 'catalogue', name)
  return runExclusively(deps.databaseUrl, async () => {
    await importSandbox(deps, folder('sandbox'))
    if (!deps.config.demo) return null
    await importDemonstration(deps, folder('demo'))
    const keys = await ensureDemoKeys(deps)
    await ensureDemoUser(deps)
    await ensureExamples(deps)
    return keys
  })
}
