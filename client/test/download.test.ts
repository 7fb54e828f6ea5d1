import { createHash } from 'node:crypto'
import { PassThrough, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Answer, apiError, serve } from './support/server.ts'

const file = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
const sha256 = createHash('sha256').update(file).digest('hex')

interface Served {
  /** Breaks the connection after so many bytes of the reply. */
  cutAfter?: number
  content?: Buffer
  /** Ignores Range, as some proxies do. */
  whole?: boolean
}

/** The file of an export, as the service sends it. */
function fileReply({ cutAfter, content = file, whole = false }: Served = {}): Answer {
  return (response, { headers }) => {
    const etag = `"${createHash('sha256').update(content).digest('hex')}"`
    const start = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
    const isPart = start > 0 && !whole && headers['if-range'] === etag
    const sent = isPart ? content.subarray(start) : content
    response.writeHead(isPart ? 206 : 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="storedex-stores-2026-11-10.csv"',
      'content-length': sent.length,
      etag,
      ...(isPart && { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }),
    })
    if (cutAfter === undefined) response.end(sent)
    else response.write(sent.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 20))
  }
}

/** A Node stream that keeps what it gets, and perhaps takes its time. */
function keep(pauseMs = 0): { target: Writable; bytes: () => Buffer } {
  const chunks: Buffer[] = []
  const target = new Writable({
    async write(chunk, _, done) {
      if (pauseMs > 0) await sleep(pauseMs)
      chunks.push(chunk)
      done()
    },
  })
  return { target, bytes: () => Buffer.concat(chunks) }
}

const fast = { maxRetries: 3 }

describe('the file of an export', () => {
  test('is written to a stream of Node, which is then closed', async () => {
    const { target, bytes } = keep()
    const server = await serve(fileReply())
    const result = await server.client().exports.download('exp_live_1', target)
    expect(bytes().equals(file)).toBe(true)
    expect(result).toEqual({
      ...{ bytes: file.length, sha256, contentType: 'text/csv; charset=utf-8' },
      filename: 'storedex-stores-2026-11-10.csv',
    })
    expect(target.writableFinished).toBe(true)
  })

  test('is written to a WritableStream, which is then closed', async () => {
    const chunks: Uint8Array[] = []
    let isClosed = false
    const target = new WritableStream<Uint8Array>({
      write: (chunk) => void chunks.push(chunk),
      close: () => {
        isClosed = true
      },
    })
    await (await serve(fileReply())).client().exports.download('exp_live_1', target)
    expect(Buffer.concat(chunks).equals(file)).toBe(true)
    expect(isClosed).toBe(true)
  })

  test.each([false, true])('continues after cuts where it stopped; a proxy ignores Range: %s', async (whole) => {
    const { target, bytes } = keep()
    const server = await serve(
      ...[fileReply({ cutAfter: 100_000, whole }), fileReply({ cutAfter: 150_000, whole }), fileReply({ whole })],
    )
    const seen: number[] = []
    const onProgress = (progress: { bytes: number }) => void seen.push(progress.bytes)
    await server.client(fast).exports.download('exp_live_1', target, { onProgress })
    expect(bytes().equals(file)).toBe(true)
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
    expect(seen.at(-1)).toBe(file.length)
    expect(server.received).toHaveLength(3)
    expect(server.received[1]!.headers['if-range']).toBe(`"${sha256}"`)
  })

  test('that changed after a cut is not mixed with the first one', async () => {
    const { target } = keep()
    const server = await serve(fileReply({ cutAfter: 100_000 }), fileReply({ content: Buffer.from('another') }))
    const call = server.client(fast).exports.download('exp_live_1', target)
    await expect(call).rejects.toMatchObject({ code: 'file_changed' })
    expect(target.destroyed).toBe(true)
  })

  test('that can be empty', async () => {
    const { target } = keep()
    const server = await serve(fileReply({ content: Buffer.alloc(0) }))
    expect((await server.client().exports.download('exp_live_1', target)).bytes).toBe(0)
    expect(target.writableFinished).toBe(true)
  })

  test('is not cut by a destination that is slower than timeoutMs', async () => {
    const { target, bytes } = keep(700)
    const server = await serve(fileReply())
    await server.client({ timeoutMs: 500 }).exports.download('exp_live_1', target)
    expect(bytes().equals(file)).toBe(true)
    expect(server.received).toHaveLength(1)
  })

  test('leaves the destination open where it is told to', async () => {
    const target = new PassThrough({ highWaterMark: 1_000_000 })
    await (await serve(fileReply())).client().exports.download('exp_live_1', target, { preventClose: true })
    expect(target.writableEnded).toBe(false)
    expect(target.listenerCount('error')).toBe(0)
  })

  test('is given up when it cannot be had, or the destination fails', async () => {
    const gone = keep()
    const server = await serve(apiError(410, 'export_file_gone'), fileReply())
    const call = server.client().exports.download('exp_live_1', gone.target)
    await expect(call).rejects.toMatchObject({ name: 'NotFoundError', code: 'export_file_gone' })
    expect(gone.target.destroyed).toBe(true)

    const full = new Writable({ write: (_chunk, _, done) => done(new Error('no space left')) })
    const failed = server.client().exports.download('exp_live_1', full)
    await expect(failed).rejects.toMatchObject({ code: 'destination_failed', cause: { message: 'no space left' } })
    expect(server.received).toHaveLength(2)
  })

  test('is given up when it is aborted', async () => {
    const { target } = keep(50)
    const controller = new AbortController()
    const options = { signal: controller.signal, onProgress: () => controller.abort() }
    const call = (await serve(fileReply())).client().exports.download('exp_live_1', target, options)
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(target.destroyed).toBe(true)
  })
})

test('an export is waited for until it has ended, whatever its status is called', async () => {
  const state = (status: string, finished_at: string | null): Answer => ({
    body: { id: 'exp_live_1', status, finished_at },
  })
  const server = await serve(state('queued', null), state('running', null), state('archived', '2026-11-10T12:00:00Z'))
  const seen: string[] = []
  const end = await server.client().exports.wait('exp_live_1', { onProgress: ({ status }) => void seen.push(status) })
  expect(end.status).toBe('archived')
  expect(seen).toEqual(['queued', 'running', 'archived'])
})

test('waiting for an export ends after totalTimeoutMs', async () => {
  const server = await serve({ body: { status: 'running', finished_at: null } })
  const call = server.client().exports.wait('exp_live_1', { totalTimeoutMs: 300 })
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
})
