import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { proofKills } from '../../../../../bin/tests/proof-runs.ts'
import { readSnapshotFile, readSnapshotFileInfo } from '../../../../src/search/replica/snapshot-file.ts'
import { temporaryFolder } from '../../../search/support/replica-world.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { randomFrom } from '../support/load.ts'
import { openCatalogue } from './catalogue.ts'
import { answersOf, drawDirectQueries, expectSameAnswers } from './queries.ts'
import { bundle, type SearchProcess, startSearchProcess } from './search-processes.ts'
import { compareWithTables } from './tables.ts'

const kills = proofKills(12, 3)
const seed = Date.now() % 1_000_000

/** Short intervals, so that snapshots are written and segments merged all the time. */
const timings = { pollMs: 5, snapshotEveryMs: 0, forgetAfterMs: 30, portionStores: 40, asideStores: 60 }

test(`a search killed ${kills} times while it loads, replicates, merges and writes agrees with PostgreSQL (seed ${seed})`, {
  timeout: 120_000 + kills * 10_000,
}, async () => {
  const random = randomFrom(seed)
  const { url } = await createTestDatabase()
  const catalogue = await openCatalogue(url, random)
  const { deps } = catalogue
  const dataDir = temporaryFolder()
  const settings = { databaseUrl: url, dataDir, timings, stores: catalogue.stores }
  const program = await bundle('search-process')
  const figures = { kills: 0, whileStarting: 0, fromSnapshot: 0 }

  const filesEndingIn = (end: string) =>
    readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(end))
  const torn = new Set<string>()
  /** After any kill, the file is complete or missing. */
  const kill = async (process: SearchProcess) => {
    await process.kill()
    figures.kills++
    for (const name of filesEndingIn('.aside')) torn.add(name)
    for (const name of filesEndingIn('.snapshot')) await readSnapshotFile(join(dataDir, name))
    expect(process.lines.filter((line) => !line.startsWith('info: '))).toEqual([])
  }

  /** Without changes the newest file soon equals the tables. */
  const checkSnapshot = async (batch: number) => {
    const path = () => join(dataDir, filesEndingIn('.snapshot')[0] ?? 'none')
    await expect.poll(async () => (await readSnapshotFileInfo(path()))?.batch, { interval: 10 }).toBe(batch)
    await compareWithTables((await readSnapshotFile(path()))!.snapshot.lists, deps.db)
  }

  /** Usually falls into the writing of a snapshot. */
  const untilWriting = async () => {
    const isNew = (name: string) => !torn.has(name)
    for (let looks = 0; looks < 300 && !filesEndingIn('.aside').some(isNew); looks++) await delay(1)
  }

  while (figures.kills < kills) {
    const stopChanging = catalogue.keepChanging()
    if (random() < 0.4) {
      figures.whileStarting++
      const process = startSearchProcess(program, settings)
      await delay(random() * 400)
      await kill(process)
    } else {
      const process = startSearchProcess(program, settings)
      await process.ready
      await delay(random() * 400)
      await stopChanging()
      const questions = drawDirectQueries(deps.taxonomy.current.vocabulary, random, 8)
      const { answers, report } = await process.ask(await catalogue.batch(), questions)
      expectSameAnswers(answers, await answersOf(deps.search, questions, 500))
      if (random() < 0.5) await checkSnapshot(await catalogue.batch())
      if (report?.load?.from === 'snapshot') figures.fromSnapshot++
      const stopAgain = catalogue.keepChanging()
      await delay(random() * 200)
      if (random() < 0.5) await untilWriting()
      await kill(process)
      await stopAgain()
    }
    await stopChanging()
    if (figures.kills % 100 === 0 || figures.kills === kills)
      console.log({ ...figures, whileWriting: torn.size, batches: await catalogue.batch() })
  }
})
