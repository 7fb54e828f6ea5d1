import { join } from 'node:path'
import { importSandbox } from '../../../../src/catalogue/imports/demo/demo.ts'
import { createAccount } from '../../../../src/customers/administration/change-account.ts'
import { type Actor, command } from '../../../../src/customers/auth/actor.ts'
import { resealIdentityKey } from '../../../../src/foundation/encryption/keyring.ts'
import { type DataKey, formatDataKeys, parseDataKeys } from '../../../../src/foundation/kernel/seal.ts'
import { findProjectDir, readConfig } from '../../../../src/operations/config.ts'
import type { Deps } from '../../../../src/operations/deps.ts'
import { createClient, type TestClient } from '../../../support/client.ts'
import { commandsOf, openTestDeps, serveTestDeps } from '../../../support/deps.ts'
import { createManualClock, testDataKeys } from '../../../support/fixtures.ts'

/** The resources of the operator's commands, on a restored database. Close them before it is restored again. */
export async function openOperator(url: string, keyring = testDataKeys): Promise<Deps & { actor: Actor }> {
  const environment = { DATABASE_URL: url, DATA_KEYS: keyring, LOG_LEVEL: 'silent' }
  const config = readConfig(environment, findProjectDir(import.meta.dirname))
  return Object.assign(await openTestDeps(config, { maxConnections: 4, asOwner: true }), { actor: command })
}

/** Starts the production app on a restored database, at the given time; closed after the file's tests. Returns its URL. */
export async function serveRestored(url: string, now: string): Promise<string> {
  const environment = { DATABASE_URL: url, DATA_KEYS: testDataKeys, LOG_LEVEL: 'silent', SEARCH_ENGINE: 'postgres' }
  const config = readConfig(environment, findProjectDir(import.meta.dirname))
  const deps = await openTestDeps(config, { clock: createManualClock(now) })
  return serveTestDeps(deps)
}

/** The API of such an app, by key. */
export async function startRestored(url: string, now: string): Promise<(key: string) => TestClient> {
  const base = await serveRestored(url, now)
  return (key) => createClient(base, key)
}

interface FillOptions {
  /** What a start with DEMO=0 makes. */
  onlySandbox?: boolean
  dataKeys?: readonly DataKey[]
}

/** Opens an installation for the first time and adds an account, a store and its people. Returns its keyring. */
export async function fillInstallation(
  url: string,
  { onlySandbox = false, dataKeys = parseDataKeys(testDataKeys)! }: FillOptions = {},
): Promise<{ dataKeys: readonly DataKey[] }> {
  const deps = await openOperator(url, formatDataKeys(dataKeys))
  try {
    await importSandbox(deps, join(deps.config.projectDir, 'catalogue/sandbox'))
    if (!onlySandbox) await createAccount(commandsOf(deps), { name: 'Restored', plan: 'pro' })
  } finally {
    await deps.close()
  }
  return { dataKeys }
}

/** Seals the identity key with the newest key, and leaves the contacts: a reseal that was interrupted. */
export async function resealIdentityKeyOnly(url: string, dataKeys: readonly DataKey[]): Promise<void> {
  const deps = await openOperator(url, formatDataKeys(dataKeys))
  try {
    await resealIdentityKey(deps.db, deps.seals.sealer)
  } finally {
    await deps.close()
  }
}
