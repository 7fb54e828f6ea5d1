import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProjectDir } from '../../../../src/operations/config.ts'
import type { Greeting } from '../../../../src/program/serving/greeting.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { startService } from '../../start/support/service.ts'

const launcher = join(findProjectDir(import.meta.dirname), 'bin/storedex.mjs')

export interface Service {
  url: string
  dataDir: string
  greeting: Greeting
  liveKey: string
  testKey: string
  /** Ids of an account and of a key of it, until a document creates others. */
  ids: string[]
  /** Ids of people. */
  contacts: string[]
}

/** Starts what `npm start` starts, with a database and the demonstration in `dataDir`; it stops after the file's tests. */
export async function startDemonstration(dataDir: string): Promise<Service> {
  const service = startService({ DATA_DIR: dataDir }, ['--json', '--print-link'], atEnd)
  const greeting = await service.greeting()
  atEnd(async () => {
    service.interrupt()
    await service.exitCode()
  })
  const url = greeting.api.replace('/api/v1', '')
  const storedex = async (...args: string[]) => {
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, DATA_DIR: dataDir }
    return JSON.parse((await promisify(execFile)(process.execPath, [launcher, ...args, '--json'], { env })).stdout)
  }
  const [demonstration] = (await storedex('accounts', 'list', '--search', 'Demonstration')).data
  // The examples of all documents run within a minute or two.
  await storedex('accounts', 'set', demonstration.id, '--limit', 'requests_per_minute=6000')
  const key = await storedex('keys', 'create', demonstration.id, '--name', 'example')
  const reply = await fetch(`${greeting.api}/contacts/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${greeting.live_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ limit: 25 }),
  })
  const people = (await reply.json()) as { data: { id: string }[] }
  return {
    url,
    dataDir,
    greeting,
    liveKey: greeting.live_key!,
    testKey: greeting.test_key!,
    ids: [demonstration.id, key.id],
    contacts: people.data.map(({ id }) => id),
  }
}

/** Where a program is, by PATH; null if this machine has none. */
export function findProgram(name: string): string | null {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
  } catch {
    return null
  }
}
