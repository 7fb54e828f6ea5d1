import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { removeExpiredFiles } from '../../../src/catalogue/import-jobs/expire.ts'
import { ImportFiles } from '../../../src/catalogue/import-jobs/files.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import type { TestApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import type { TestUser } from '../../support/user.ts'
import {
  countStores,
  holdCatalogue,
  readImport,
  run,
  startImportApp,
  storesCsv,
  upload,
  waitForBlockedImport,
  waitForState,
} from './support/imports.ts'

let app: TestApp
let operator: TestUser
let dataDir: string
beforeAll(async () => {
  ;({ app, operator, dataDir } = await startImportApp())
})
beforeEach(async () => {
  // Signed in anew, as far as the clock is concerned.
  operator = await app.person({ operator: true, account: null, email: operator.email })
})

const folderOf = (id: number) => join(dataDir, 'imports', String(id))

const messy = [
  'Domain;Shop name;Country;Lead fit score;Notes',
  'https://www.messy-one.example/;Messy One;Germany;64,5;a',
  'messy-two.example;Messy Two;Atlantis;12;b',
  'messy-three.example;Messy Three;FR;a lot;c',
  'not a domain;Messy Four;FR;1;d',
].join('\r\n')
const map = { Notes: '' }

async function newestEntries(count: number): Promise<Json[]> {
  const { rows } = await app.db.query(
    'select action, person_id, details, target from audit_log where account_id = 0 order by entry desc limit $1',
    [count],
  )
  return rows
}

describe('a file of an agency', () => {
  test('is previewed with guesses, faults and what is missing, and nothing is written', async () => {
    const id = await upload(app.url, operator, { name: 'agency.csv', text: messy })
    const { body } = await operator.post(`/operator/imports/${id}/preview`, { options: {} })
    expect(body).toMatchObject({ object: 'import_preview', format: 'csv', delimiter: ';', decimal: 'comma' })
    expect(body.columns.map(({ header, field, how }: Json) => [header, field, how])).toEqual([
      ['Domain', 'domain', 'name'],
      ['Shop name', 'name', 'synonym'],
      ['Country', 'country', 'name'],
      ['Lead fit score', 'lead_fit_score', 'name'],
      ['Notes', null, 'unknown'],
    ])
    expect(body.problems).toHaveLength(1)
    expect(body.rows.map(({ line, faults }: Json) => [line, faults.map(({ field }: Json) => field)])).toEqual([
      [2, []],
      [3, ['country']],
      [4, ['lead_fit_score']],
      [5, ['domain']],
    ])
    const mapped = await operator.post(`/operator/imports/${id}/preview`, { options: { map } })
    expect(mapped.body).toMatchObject({ problems: [] })
    const { body: fields } = await operator.get('/operator/imports/fields?kind=stores')
    expect(fields.fields).toContainEqual(expect.objectContaining({ name: 'domain', required: true }))
    const wrong = await operator.post(`/operator/imports/${id}/preview`, { options: { encoding: 'no-such' } })
    expect(wrong.body.error).toMatchObject({ code: 'invalid_request', message: expect.not.stringContaining(dataDir) })
  })

  test('is checked without a change, then imported; its rejects are those of the command', async () => {
    const before = await countStores(app)
    const id = await upload(app.url, operator, { name: 'agency.csv', text: messy })
    const checked = await run(operator, id, 'check', { map })
    expect(checked).toMatchObject({ state: 'ready', has_file: true, error: null })
    expect(checked.report).toMatchObject({ run: 'check', on_bad_value: 'reject' })
    const [part] = checked.report.parts
    expect(part).toMatchObject({ of: 'stores', read: 4, inserted: 1, rejected: 3, would_take_with_drop: 2 })
    expect(part.problems).toContainEqual(
      expect.objectContaining({ field: 'country', count: 1, line: 3, value: 'Atlantis' }),
    )
    expect(await countStores(app)).toBe(before)

    const done = await run(operator, id, 'import', { map })
    expect(done).toMatchObject({ state: 'done', rejects: ['stores'], has_file: true })
    expect(done.report.parts[0]).toMatchObject({ inserted: 1, rejected: 3 })
    expect(await countStores(app)).toBe(before + 1)

    const rejects = await operator.get(`/operator/imports/${id}/rejects/stores`)
    expect(rejects.headers.get('cache-control')).toBe('no-store')
    expect(rejects.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''agency.csv.rejects.csv")
    expect(await newestEntries(1)).toMatchObject([
      { action: 'import.rejects_downloaded', details: { import: id, kind: 'stores', of: 'stores', rows: 3 } },
    ])
    const file = join(dataDir, 'agency.csv')
    writeFileSync(file, messy)
    const { rejects_file } = await importStores(app.operator, { file, extendTaxonomy: false, map })
    expect(Buffer.from(rejects.body)).toEqual(Buffer.from(readFileSync(rejects_file!, 'utf8').replace('\ufeff', '')))

    const again = await run(operator, id, 'import', { map, on_bad_value: 'drop' })
    expect(again.report).toMatchObject({ on_bad_value: 'drop', parts: [{ inserted: 2, rejected: 1, dropped: 2 }] })
    expect(await countStores(app)).toBe(before + 3)
    expect((await operator.get(`/operator/imports/${id}`)).body.options).toEqual({ map, on_bad_value: 'drop' })
  })

  test('leaves entries in the audit log, without the name of the file', async () => {
    const id = await upload(app.url, operator, { name: 'for-mara.csv', text: storesCsv(1, 900_000) })
    await run(operator, id, 'import')
    const entries = await newestEntries(3)
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['import.ended', { import: id, kind: 'stores', state: 'done', read: 1, inserted: 1, updated: 0, rejected: 0 }],
      ['import.started', { import: id, kind: 'stores' }],
      ['import.created', { import: id, kind: 'stores', bytes: expect.any(Number) }],
    ])
    expect(JSON.stringify(entries)).not.toContain('mara')
  })

  test('without a reject is removed as soon as it is imported', async () => {
    const id = await upload(app.url, operator, { text: storesCsv(3, 910_000) })
    expect(await run(operator, id, 'import')).toMatchObject({ state: 'done' })
    await expect.poll(() => existsSync(folderOf(id))).toBe(false)
    expect(await readImport(operator, id)).toMatchObject({ has_file: false, rejects: [] })
  })

  test('that is no file of this kind fails with a sentence that has no path', async () => {
    const id = await upload(app.url, operator, { name: 'odd.csv.gz', text: 'not compressed' })
    const failed = await run(operator, id, 'import')
    expect(failed).toMatchObject({ state: 'failed', error: expect.stringContaining('odd.csv.gz') })
    expect(failed.error).not.toContain(dataDir)
    expect(await run(operator, id, 'check')).toMatchObject({ state: 'ready', error: failed.error })
  })

  test('is counted by how it ended, checks too', async () => {
    const [counter] = app.importRunner.counters()
    const counts = () =>
      Object.fromEntries(counter!.read().map(({ labels, value }) => [labels!.outcome, value] as const))
    const before = counts()
    const good = await upload(app.url, operator, { text: storesCsv(2, 920_000) })
    await run(operator, good, 'check')
    await run(operator, good, 'import')
    const odd = await upload(app.url, operator, { name: 'odd.csv.gz', text: 'not compressed' })
    await run(operator, odd, 'import')
    const { done, failed, ...rest } = before
    await expect.poll(counts).toEqual({ ...rest, done: done! + 2, failed: failed! + 1 })
  })
})

describe('people', () => {
  test('leave nothing of theirs in the database, whatever is wrong with the file', async () => {
    await app.importStores([{ domain: 'employer.example', name: 'Employer' }])
    const text = [
      'store_domain,first_name,emails.0.email,emails.0.status,role,Secretive Heading',
      'employer.example,Wanda,not-an-address-zwettl,verified,founder,x',
      'employer.example,Emil,emil@zwettl.example,weird-status-zwettl,zwettl-role,x',
      'zwettl-store.example,Fred,fred@zwettl.example,verified,founder,x',
      'employer.example,"broken zwettl',
    ].join('\n')
    const id = await upload(app.url, operator, { kind: 'contacts', name: 'people.csv', text })
    const options = { map: { 'Secretive Heading': '' } }
    const preview = await operator.post(`/operator/imports/${id}/preview`, { options })
    expect(JSON.stringify(preview.body.rows)).toContain('not-an-address-zwettl')
    for (const what of ['check', 'import'] as const) {
      const { report } = await run(operator, id, what, options)
      expect(report.parts[0]).toMatchObject({ of: 'contacts', read: 4, rejected: 4 })
      expect(report.parts[0].problems.length).toBeGreaterThan(2)
      for (const { value } of report.parts[0].problems) expect(value).toBeNull()
    }
    // Without the choice of the column the import cannot even begin.
    await run(operator, id, 'import')
    const { rows } = await app.db.query('select import_jobs::text as row from import_jobs where id = $1', [id])
    expect(rows[0].row).toContain('contacts')
    expect(rows[0].row).not.toMatch(/zwettl|secretive|wanda|emil@|fred/i)
    expect(JSON.stringify(await newestEntries(10))).not.toMatch(/zwettl|secretive|wanda/i)
  })

  test('come in one file with their stores', async () => {
    const text = [
      'domain,name,contact.first_name,contact.emails.0.email',
      'both-one.example,Both One,Ada,ada@both-one.example',
      'both-one.example,Both One,Bert,bert@both-one.example',
      'both-two.example,Both Two,Cleo,nobody',
    ].join('\n')
    const id = await upload(app.url, operator, { kind: 'stores+contacts', name: 'both.csv', text })
    const { body } = await operator.post(`/operator/imports/${id}/preview`, { options: {} })
    expect(body.problems).toEqual([])
    expect(body.rows.map(({ faults }: Json) => faults.length)).toEqual([0, 0, 1])
    const done = await run(operator, id, 'import')
    expect(done.report.parts.map(({ of, inserted, rejected }: Json) => [of, inserted, rejected])).toEqual([
      ['stores', 2, 0],
      ['contacts', 2, 1],
    ])
    expect(done.rejects).toEqual(['contacts'])
    expect((await operator.get(`/operator/imports/${id}/rejects/contacts`)).body).toContain('nobody')
    expect((await operator.get(`/operator/imports/${id}/rejects/stores`)).body.error.code).toBe('import_not_found')
  })
})

describe('runs', () => {
  test('wait for each other; a waiting one and a running one are stopped, and run again to the end', async () => {
    const [first, second] = [
      await upload(app.url, operator, { text: storesCsv(5_000, 100_000) }),
      await upload(app.url, operator, { text: storesCsv(5, 200_000) }),
    ]
    const before = await countStores(app)
    const release = await holdCatalogue(app)
    for (const id of [first, second]) await operator.post(`/operator/imports/${id}/import`, { options: {} })
    await waitForBlockedImport(app)
    expect(await readImport(operator, first)).toMatchObject({ state: 'importing' })
    expect(await readImport(operator, second)).toMatchObject({ state: 'waiting' })
    const twice = await operator.post(`/operator/imports/${first}/check`, { options: {} })
    expect(twice.body.error.code).toBe('import_not_ready')
    expect((await operator.delete(`/operator/imports/${first}/files`)).body.error.code).toBe('import_not_ready')

    expect((await operator.post(`/operator/imports/${second}/stop`)).body.import.state).toBe('stopped')
    const stopping = await operator.post(`/operator/imports/${first}/stop`)
    expect(stopping.body.import).toMatchObject({ state: 'importing', stopping: true })
    await release()
    const stopped = await waitForState(operator, first, 'stopped')
    expect(stopped.report.parts[0].read).toBeLessThan(5_000)
    expect(await countStores(app)).toBe(before + stopped.report.parts[0].inserted)

    expect(await run(operator, first, 'import')).toMatchObject({ state: 'done' })
    expect(await run(operator, second, 'import')).toMatchObject({ state: 'done' })
    expect(await countStores(app)).toBe(before + 5_005)
  })

  test('need a sign-in of the last ten minutes to import, and none to check', async () => {
    const id = await upload(app.url, operator, { text: storesCsv(1, 920_000) })
    app.clock.advance(10 * 60_000)
    const refused = await operator.post(`/operator/imports/${id}/import`, { options: {} })
    expect(refused.body.error.code).toBe('fresh_sign_in_required')
    expect(await run(operator, id, 'check')).toMatchObject({ state: 'ready', report: { run: 'check' } })
  })

  test('are listed page by page, the newest first, with who began them', async () => {
    const ids = []
    for (let count = 0; count < 3; count++) ids.push(await upload(app.url, operator, { text: 'domain\nx.example\n' }))
    const first = (await operator.get('/operator/imports?limit=2')).body
    expect(first.data.map(({ id }: Json) => id)).toEqual([ids[2], ids[1]])
    expect(first.data[0]).toMatchObject({ file_name: 'stores.csv', by: { id: operator.id, name: 'Test Person' } })
    const second = (await operator.get(`/operator/imports?limit=2&cursor=${first.next_cursor}`)).body
    expect(second.data[0].id).toBe(ids[0])
  })
})

describe('files', () => {
  const expire = () => removeExpiredFiles({ db: app.deps.db, clock: app.clock, files: new ImportFiles(dataDir) })
  const dayMs = 86_400_000

  test('of an import that ended stay for a day, its rejects for thirty', async () => {
    const id = await upload(app.url, operator, { name: 'agency.csv', text: messy })
    await run(operator, id, 'import', { map })
    app.clock.advance(dayMs - 1_000)
    await expire()
    operator = await app.person({ operator: true, account: null, email: operator.email })
    expect(await readImport(operator, id)).toMatchObject({ has_file: true, rejects: ['stores'] })
    app.clock.advance(2_000)
    await expire()
    expect(await readImport(operator, id)).toMatchObject({ state: 'done', has_file: false, rejects: ['stores'] })
    expect(existsSync(join(folderOf(id), 'source.csv'))).toBe(false)
    expect(existsSync(join(folderOf(id), 'mapping.json'))).toBe(false)
    app.clock.advance(29 * dayMs)
    await expire()
    operator = await app.person({ operator: true, account: null, email: operator.email })
    expect(await readImport(operator, id)).toMatchObject({ rejects: [], report: { run: 'import' } })
    expect(existsSync(join(folderOf(id), 'source.csv.rejects.csv'))).toBe(false)
  })

  test('that nobody imports stay for a week', async () => {
    const id = await upload(app.url, operator, { text: 'domain\nx.example\n' })
    app.clock.advance(7 * dayMs + 1_000)
    await expire()
    operator = await app.person({ operator: true, account: null, email: operator.email })
    expect(await readImport(operator, id)).toMatchObject({
      state: 'stopped',
      has_file: false,
      error: expect.stringContaining('seven days'),
    })
    expect(existsSync(folderOf(id))).toBe(false)
  })
})
