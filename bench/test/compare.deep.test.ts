import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aimsOf } from '../compare/aims.ts'
import { checkOut, ownCheckout } from '../compare/checkout.ts'
import { renderCompare } from '../compare/report.ts'
import { type CompareResults, type Comparison, middleOf, type RoundOfOperation, ratioOf } from '../compare/results.ts'
import type { ComparedFigures } from '../compare/services.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'storedex-compare-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const figures = (perSecond: number, nodeMicros = 400, postgresMicros: number | null = 100): ComparedFigures => ({
  perSecond,
  p50Ms: 1_000 / perSecond,
  p95Ms: 2,
  p99Ms: 3,
  answered: 100,
  nodeMicros,
  postgresMicros,
})
const round = (before: number, after: number): RoundOfOperation => ({ old: figures(before), new: figures(after) })
const comparison = (more: Partial<Comparison>): Comparison => ({
  operation: 'search',
  crowd: { connections: 32, accounts: 8 },
  rounds: [round(100, 300)],
  ...more,
})
const results = (...comparisons: Comparison[]): CompareResults => ({
  stores: 1_000,
  seconds: 2,
  rounds: 1,
  date: '2026-11-23',
  machine: { node: 'v20', processor: 'any', processors: 2 },
  commits: { old: 'abc', new: 'def' },
  comparisons,
  besideImport: [],
})
const metOf = (all: CompareResults, what: string) => aimsOf(all).find((aim) => aim.what.startsWith(what))?.isMet

test('a ratio is the median of those within a round, not the ratio of medians', () => {
  const rounds = [round(100, 300), round(10, 20), round(1_000, 1_000)]
  expect(ratioOf(rounds, 'new', 'perSecond')).toBe(2)
  expect(middleOf(rounds, 'new', 'perSecond')).toBe(300)
})

test('a figure that a round lacks has no median and no ratio', () => {
  const rounds = [round(100, 300), { old: figures(100, 1, null), new: figures(100, 1, null) }]
  expect(middleOf(rounds, 'new', 'postgresMicros')).toBe(null)
  expect(ratioOf(rounds, 'new', 'postgresMicros')).toBe(null)
  expect(ratioOf(rounds, 'uncached', 'perSecond')).toBe(null)
})

test('an aim of several operations is missed when one of them misses it, and names it', () => {
  const slow = comparison({ operation: 'lookup', rounds: [round(100, 240)] })
  expect(metOf(results(comparison({})), 'searches')).toBe(true)
  expect(metOf(results(comparison({}), slow), 'searches')).toBe(false)
  expect(renderCompare(results(comparison({}), slow))).toMatch(/lookup, 8 accounts 2\.40 \| \*\*missed\*\*/)
})

test('throughput is aimed at with 32 connections, and p50 with one', () => {
  const one = { connections: 1, accounts: 1 }
  const slower = results(comparison({ crowd: one, rounds: [round(100, 90)] }))
  expect(metOf(slower, 'p50 of one connection')).toBe(false)
  expect(metOf(slower, 'searches')).toBe(undefined)
})

test("a search's processor time is compared with its aim by the new version alone", () => {
  const measured = (before: number, after: number) =>
    results(comparison({ rounds: [{ old: figures(1, before), new: figures(1, after) }] }))
  expect(metOf(measured(2_000, 450), "Node's")).toBe(true)
  expect(metOf(measured(400, 460), "Node's")).toBe(false)
})

const inRepository = test.skipIf(!existsSync(join(ownCheckout, '.git')))

inRepository('a commit is checked out with packages whose workspaces are its own', () => {
  const head = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ownCheckout, encoding: 'utf8' }).trim()
  const checkout = checkOut('HEAD', join(folder, 'head'))
  expect(checkout.commit).toBe(head)
  expect(readFileSync(join(checkout.folder, 'bin/storedex.mjs'), 'utf8')).toMatch(/launch/)
  expect(realpathSync(join(checkout.folder, 'node_modules/@storedex/server'))).toBe(join(checkout.folder, 'server'))
})

inRepository('a revision that is none is refused', () => {
  expect(() => checkOut('no-such-revision', join(folder, 'none'))).toThrow(/no-such-revision is no commit/)
  expect(() => checkOut('--all', join(folder, 'none'))).toThrow(/is no commit/)
})
