import { beforeAll, describe, expect, test } from 'vitest'
import { findDifferences } from '../../customers/auth/support/key-budgets.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { readSpent, type Spent } from '../../support/members.ts'
import { type Call, type CallReply, expectSameReply, send } from './support/calls.ts'
import type { Shown } from './support/continuation.ts'
import { restoreRows } from './support/dump.ts'
import {
  exportsEnd,
  listRecordings,
  makeRecording,
  minutesBetween,
  type Recording,
  readRecording,
  writeRecording,
} from './support/recording.ts'

const present = 'of this version'
let made: Recording

test('an installation with balances, kept replies and running exports can be recorded', async () => {
  made = await makeRecording()
  if (process.env.STOREDEX_WRITE_RECORDING) await writeRecording(made)
})

const nothing = { contact_credits: 0, store_exports: 0, search_rows: 0 }

/** What the accounts that pay for these calls have spent, over all periods. */
async function readSpentOf(app: TestApp, calls: readonly Call[]): Promise<Spent> {
  const sum = { ...nothing }
  for (const account of new Set(calls.map((call) => call.account))) {
    const spent = await readSpent(app, account)
    for (const meter of Object.keys(sum) as (keyof Spent)[]) sum[meter] += Number(spent[meter])
  }
  return sum
}

describe.for([...(await listRecordings()), present])('an installation of schema %s goes on', (version) => {
  let recording: Recording
  let app: TestApp
  beforeAll(async () => {
    recording = version === present ? made : await readRecording(version)
    const { schemaVersion, dump, recordedAt, plans } = recording
    const { database } = await restoreRows(schemaVersion, dump)
    app = await startTestApp({ now: recordedAt, plans, database })
  })

  /** Sends the recorded calls once more, expects their replies, and returns those with what all of them were charged. */
  async function repeat(shown: Shown): Promise<{ replies: CallReply[]; charged: Spent }> {
    const calls = recording.calls[shown]
    const before = await readSpentOf(app, calls)
    const replies: CallReply[] = []
    for (const { reply, ...call } of calls) replies.push(await send(app.url, call))
    for (const [index, reply] of replies.entries()) expectSameReply(reply, calls[index]!.reply)
    const after = await readSpentOf(app, calls)
    return {
      replies,
      charged: {
        contact_credits: after.contact_credits - before.contact_credits,
        store_exports: after.store_exports - before.store_exports,
        search_rows: after.search_rows - before.search_rows,
      },
    }
  }

  const statusesOf = (replies: CallReply[]) => replies.map(({ status }) => status)
  const bodiesOf = (replies: CallReply[]) => replies.map(({ text }) => JSON.parse(text))
  const rowsOf = (replies: CallReply[]) => bodiesOf(replies).reduce((sum, { data }) => sum + data.length, 0)

  test('its ledger balances', async () => {
    expect(await findDifferences(app)).toEqual([])
  })

  test('usage is what it was, with the reservations of running exports', async () => {
    const { replies, charged } = await repeat('usage')
    expect(bodiesOf(replies)[0].store_exports.reserved).toBeGreaterThan(0)
    expect(charged).toEqual(nothing)
  })

  test('a full minute is still full', async () => {
    expect(statusesOf((await repeat('fullMinute')).replies)).toEqual([429])
  })

  test('a key that was revoked or suspended opens nothing', async () => {
    expect(statusesOf((await repeat('closedKeys')).replies)).toEqual([401, 401])
  })

  test('exports that ran or waited end with the same files, and nothing stays reserved', async () => {
    app.clock.advance(minutesBetween * 60_000)
    await exportsEnd(app)
    const { replies } = await repeat('exports')
    expect(statusesOf(replies)).toEqual(Array(8).fill(200))
    const { rows } = await app.db.query('select from usage_counters where reserved > 0')
    expect(rows).toEqual([])
    expect(await findDifferences(app)).toEqual([])
  })

  test('a cursor gives the page that it gave, which is charged once', async () => {
    const { replies, charged } = await repeat('cursors')
    expect(charged).toMatchObject({ search_rows: rowsOf(replies), contact_credits: 0 })
  })

  test('a store that was exported in this period costs nothing', async () => {
    expect((await repeat('knownStores')).charged).toEqual(nothing)
  })

  test('a contact that was revealed costs nothing, by any key or person of the account', async () => {
    const { replies, charged } = await repeat('knownContacts')
    expect(statusesOf(replies)).toEqual([200, 200, 200, 200])
    expect(charged).toEqual(nothing)
  })

  test('a reveal that is repeated under its Idempotency-Key gets the first reply, byte for byte, for nothing', async () => {
    const { replies, charged } = await repeat('replays')
    expect(replies.map(({ text }) => text)).toEqual(recording.calls.replays.map(({ reply }) => reply.text))
    for (const { headers } of replies) expect(headers['idempotent-replayed']).toBe('true')
    expect(charged).toEqual(nothing)
  })

  test('an Idempotency-Key that was used refuses another request', async () => {
    const { replies, charged } = await repeat('usedKeys')
    expect(statusesOf(replies)).toEqual([409, 409, 409])
    expect(charged).toEqual(nothing)
  })

  test('a page that a person looked at is shown again for nothing', async () => {
    expect((await repeat('viewedPages')).charged).toEqual(nothing)
  })

  test('what a key has spent of its budgets still counts', async () => {
    const refused = await repeat('spentBudgets')
    expect(statusesOf(refused.replies)).toEqual([402, 429])
    expect(refused.charged).toEqual(nothing)
    const rest = await repeat('restOfBudgets')
    expect(statusesOf(rest.replies)).toEqual([200, 200, 402])
    expect(rest.charged).toMatchObject({ contact_credits: 2, search_rows: 14 })
  })

  test('what was spent of a trial still counts', async () => {
    const { replies, charged } = await repeat('restOfTrial')
    expect(statusesOf(replies)).toEqual([402, 200, 402])
    expect(charged).toMatchObject({ contact_credits: 2 })
  })

  test('what is new is charged as it was, and exclusions leave out what was there', async () => {
    const { replies, charged } = await repeat('newSpending')
    const [revealed, stores, contacts] = bodiesOf(replies)
    expect([stores.data.length, contacts.data.length]).toEqual([3, 3])
    expect(revealed.credits.spent).toBeGreaterThan(0)
    expect(charged).toMatchObject({ contact_credits: revealed.credits.spent, search_rows: 6 })
  })

  test('a quote is kept', async () => {
    expect(statusesOf((await repeat('quotes')).replies)).toEqual([201])
    await exportsEnd(app)
  })

  test('in the end usage is the same, and the ledger balances', async () => {
    await repeat('usageAtLast')
    expect(await findDifferences(app)).toEqual([])
  })
  test('kept replies that are asked for many times at once are still what they were, for nothing', async () => {
    const before = await readSpentOf(app, recording.calls.replays)
    const asked = [1, 2, 3].flatMap(() => recording.calls.replays)
    const replies = await Promise.all(asked.map(({ reply: _, ...call }) => send(app.url, call)))
    expect(replies.map(({ text }) => text)).toEqual(asked.map(({ reply }) => reply.text))
    expect(await readSpentOf(app, recording.calls.replays)).toEqual(before)
    expect(await findDifferences(app)).toEqual([])
  })
})
