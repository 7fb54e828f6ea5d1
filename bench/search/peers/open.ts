import type { Cleanup } from '@storedex/testkit'
import type { Engine } from '../engine.ts'
import { openDuckDb } from './duckdb.ts'
import { installPeerPackages } from './install.ts'
import { openPeerServer, PostgresEngine } from './postgres.ts'
import { columnsDesign, ginDesign } from './postgres-designs.ts'
import { openSqlite } from './sqlite.ts'

export const peerNames = ['postgres-gin', 'postgres-columns', 'duckdb', 'duckdb-2', 'sqlite'] as const
export type PeerName = (typeof peerNames)[number]

/** Opens the named peers, without those that cannot be installed here. */
export async function openPeers(
  names: readonly PeerName[],
  folder: string,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<Engine[]> {
  const inPostgres = [ginDesign, columnsDesign].filter((design) =>
    names.includes(`postgres-${design.schema}` as PeerName),
  )
  const url = inPostgres.length > 0 ? await openPeerServer(folder, cleanup) : ''
  const engines: Engine[] = inPostgres.map((design) => new PostgresEngine(url, design))
  if (names.some((name) => !name.startsWith('postgres'))) await installPeerPackages(reportProgress)
  const open = (name: PeerName, engine: () => Engine | undefined) => {
    if (!names.includes(name)) return
    const opened = engine()
    if (opened) engines.push(opened)
    else reportProgress(`${name} is left out: its package could not be installed`)
  }
  open('duckdb', () => openDuckDb(folder, 1))
  open('duckdb-2', () => openDuckDb(folder, 2))
  open('sqlite', () => openSqlite(folder))
  for (const engine of engines) cleanup.add(() => engine.close())
  return engines
}
