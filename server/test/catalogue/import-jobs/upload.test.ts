import { readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import type { TestUser } from '../../support/user.ts'
import { partType, readImport, sendPart, startImportApp, upload } from './support/imports.ts'

let app: TestApp
let operator: TestUser
let dataDir: string
beforeAll(async () => {
  ;({ app, operator, dataDir } = await startImportApp())
})

const begin = async (bytes: number, more: object = {}) => {
  const { body } = await operator.post('/operator/imports', { kind: 'stores', file_name: 'a.csv', bytes, ...more })
  return body.import.id as number
}
const folderOf = (id: number) => join(dataDir, 'imports', String(id))
const textOf = (id: number) => readFileSync(join(folderOf(id), 'source.csv'), 'utf8')

/** Sends a part of which only the beginning arrives. */
async function breakOff(id: number, offset: number, whole: number, sent: string): Promise<void> {
  const path = `/console/api/operator/imports/${id}/file`
  const headers = {
    cookie: operator.cookie,
    'content-type': partType,
    'content-length': whole,
    'upload-offset': String(offset),
  }
  const call = request(`${app.url}${path}`, { method: 'PATCH', headers })
  call.on('error', () => {})
  call.write(sent)
  await expect.poll(() => textOf(id).length).toBe(offset + sent.length)
  call.destroy()
}

describe('an upload', () => {
  test('is the file that was sent, part by part, and only the service can read it', async () => {
    const id = await begin(12, { modified_at: '2026-11-01T08:00:00.000Z' })
    expect((await sendPart(app.url, operator, id, 0, 'abcde')).body.import).toMatchObject({
      state: 'uploading',
      received: 5,
      modified_at: '2026-11-01T08:00:00.000Z',
    })
    const { status, body } = await sendPart(app.url, operator, id, 5, 'fghijkl')
    expect({ status, ...body.import }).toMatchObject({ status: 200, state: 'ready', received: 12, has_file: true })
    expect(textOf(id)).toBe('abcdefghijkl')
    expect(statSync(folderOf(id)).mode & 0o777).toBe(0o700)
    expect(statSync(join(folderOf(id), 'source.csv')).mode & 0o777).toBe(0o600)
  })

  test('that breaks off in the middle of a part continues from the byte that arrived last', async () => {
    const id = await begin(10)
    await breakOff(id, 0, 10, 'abcd')
    await expect.poll(async () => (await readImport(operator, id)).received).toBe(4)
    expect((await sendPart(app.url, operator, id, 4, 'efghij')).body.import.state).toBe('ready')
    expect(textOf(id)).toBe('abcdefghij')
  })

  test('takes no part twice and leaves none out', async () => {
    const id = await begin(10)
    await sendPart(app.url, operator, id, 0, 'abc')
    for (const offset of [0, 2, 4, 9]) {
      const { status, body } = await sendPart(app.url, operator, id, offset, 'x')
      expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'wrong_offset' })
    }
    const twice = await Promise.all([3, 3].map((offset) => sendPart(app.url, operator, id, offset, 'defghij')))
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(textOf(id)).toBe('abcdefghij')
    expect((await sendPart(app.url, operator, id, 10, 'k')).body.error.code).toBe('wrong_offset')
  })

  test('is refused beyond its size, in parts above 8 MB, and as JSON', async () => {
    const id = await begin(10)
    const refusal = async (...part: [body: string | Uint8Array, headers?: Record<string, string>]) => {
      const { status, body } = await sendPart(app.url, operator, id, 0, ...part)
      return `${status} ${body.error.code}`
    }
    expect(await refusal('abcdefghijk')).toBe('413 payload_too_large')
    expect(await refusal(new Uint8Array(8_388_609))).toBe('413 payload_too_large')
    expect(await refusal('{}', { 'content-type': 'application/json' })).toBe('415 unsupported_media_type')
    expect(await refusal('abc', { 'content-type': 'text/csv' })).toBe('415 unsupported_media_type')
    expect(await refusal('abc', { 'upload-offset': '-1' })).toBe('400 invalid_request')
    const create = async (body: object) => (await operator.post('/operator/imports', body)).body.error.param
    const upload = { kind: 'stores', file_name: 'a.csv', bytes: 1 }
    expect(await create({ ...upload, bytes: 2_000_000_001 })).toBe('bytes')
    expect(await create({ ...upload, file_name: 'stores.pdf' })).toBe('file_name')
    expect(await create({ ...upload, file_name: '../a.csv' })).toBe('file_name')
    // Half of a surrogate pair: no header of a download could name the file.
    expect(await create({ ...upload, file_name: 'a\ud83d.csv' })).toBe('file_name')
    expect(await create({ ...upload, file_name: '\udc00a.csv' })).toBe('file_name')
    expect(await create({ ...upload, kind: 'people' })).toBe('kind')
  })

  test('of nobody but operators, and of no other site: nothing of it is written', async () => {
    const id = await begin(3)
    const owner = await app.person({})
    expect((await sendPart(app.url, owner, id, 0, 'abc')).body.error.code).toBe('insufficient_role')
    const elsewhere = { origin: 'https://elsewhere.example' }
    expect((await sendPart(app.url, operator, id, 0, 'abc', elsewhere)).body.error.code).toBe('cross_site_request')
    expect((await sendPart(app.url, { cookie: '' }, id, 0, 'abc')).body.error.code).toBe('not_signed_in')
    expect(textOf(id)).toBe('')
  })

  test('onto a full disk says so, and continues when there is room', async () => {
    const id = await begin(6)
    await sendPart(app.url, operator, id, 0, 'abc')
    const source = join(folderOf(id), 'source.csv')
    rmSync(source)
    symlinkSync('/dev/full', source)
    const { status, body } = await sendPart(app.url, operator, id, 3, 'def')
    expect({ status, code: body.error.code }).toEqual({ status: 507, code: 'storage_full' })
    expect(body.error.message).toContain('disk of the server is full')
    rmSync(source)
    expect((await readImport(operator, id)).received).toBe(3)
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
  })

  test('that is removed leaves nothing on the disk', async () => {
    const id = await upload(app.url, operator, { text: 'domain\na.example\n' })
    const { body } = await operator.delete(`/operator/imports/${id}/files`)
    expect(body.import).toMatchObject({ state: 'stopped', has_file: false })
    expect(() => statSync(folderOf(id))).toThrow('ENOENT')
    expect((await operator.post(`/operator/imports/${id}/import`, { options: {} })).body.error.code).toBe(
      'import_not_ready',
    )
  })

  test('of another server is left to that server', async () => {
    const id = await begin(3)
    await app.db.query("update import_jobs set server = 'elsewhere' where id = $1", [id])
    expect((await sendPart(app.url, operator, id, 0, 'abc')).body.error.code).toBe('import_elsewhere')
    expect((await operator.get(`/operator/imports/${id}`)).status).toBe(200)
  })
})
