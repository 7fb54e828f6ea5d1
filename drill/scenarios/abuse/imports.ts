import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Browser, makePerson, requireSuccess } from '../../client/browser.ts'
import { describeLatencies, summarizeLatencies } from '../../client/counts.ts'
import { labelOf, requestText } from '../../client/http-connection.ts'
import { Probe } from '../../client/probe.ts'
import type { Installation } from '../../installation/installation.ts'
import type { Drill } from '../../scenario.ts'

const maxHealthMs = 100
const maxRunMs = 120_000
/** Rejects may be twice the unpacked file, and this many bytes more. */
const rejectsAllowance = 1_000_000
const maxUnpackRatio = 200

interface ImportJob {
  import: { id: number; state: string; error: string | null; rejects: string[]; report: object | null }
}

/** Files that a preview takes long for, if anything in it is quadratic. */
const slowHeaders: Record<string, string> = {
  'blanks between two letters': `domain,a${' '.repeat(80_000)}b\nshop.example,x\n`,
  'digits and signs without end': `domain,${'a_-#1 '.repeat(13_000)}b\nshop.example,x\n`,
  'tabs in a cell': `domain,name\nshop.example,a${'\t'.repeat(200_000)}b\n`,
  'blanks in a cell': `domain,name\nshop.example,a${' '.repeat(900_000)}b\n`,
}

/** Files of refused rows that are small, and would be large if written with all columns of the heading. */
function amplifiers(isShort: boolean): Record<string, { bytes: Buffer; unpacked: number }> {
  const wide = Buffer.from(`domain${','.repeat(990)}\n${'x\n'.repeat(isShort ? 20_000 : 100_000)}`)
  const wider = Buffer.from(`domain${','.repeat(200_000)}\n${'x\n'.repeat(200)}`)
  const lines = Buffer.from(`domain\n${'x\n'.repeat(1_000_000)}`)
  const packed = gzipSync(lines, { level: 9 })
  return {
    'rows below a heading of 991 columns': { bytes: wide, unpacked: wide.length },
    'rows below a heading of 200,001 columns': { bytes: wider, unpacked: wider.length },
    'a million packed rows': { bytes: packed, unpacked: lines.length },
  }
}

export async function abuseImports(drill: Drill, installation: Installation): Promise<void> {
  const operator = await makePerson(installation, 'operator@drill.example', { flags: ['--operator'] })
  drill.cleanup.add(() => operator.close())
  for (const [name, text] of Object.entries(slowHeaders)) await previewBeside(drill, installation, operator, name, text)
  for (const [name, { bytes, unpacked }] of Object.entries(amplifiers(drill.isShort))) {
    const written = await checkFile(
      operator,
      `${name.replaceAll(' ', '-')}.csv${bytes[0] === 0x1f ? '.gz' : ''}`,
      bytes,
    )
    const came = `${written.bytes} bytes of rejects for ${bytes.length} uploaded, ${unpacked} unpacked: ${written.end}`
    const isBounded = written.bytes <= Math.min(unpacked, maxUnpackRatio * bytes.length) * 2 + rejectsAllowance
    drill.check(`${name}: rejects stay below twice the file and 1 MB`, isBounded, came)
  }
}

/** Previews a file beside a client that asks for `/healthz`. */
async function previewBeside(
  drill: Drill,
  { service }: Installation,
  operator: Browser,
  name: string,
  text: string,
): Promise<void> {
  const id = await uploadFile(operator, 'slow.csv', Buffer.from(text))
  const probe = new Probe({ origin: service.origin, text: requestText('GET', '/healthz'), everyMs: 5 })
  const answer = await operator.request('POST', `/operator/imports/${id}/preview`, { options: {} })
  await probe.stop()
  const isAnswered = answer.status !== null && answer.status < 500
  drill.check(`a preview with ${name} is answered`, isAnswered, `${labelOf(answer)} after ${Math.round(answer.ms)} ms`)
  const latencies = summarizeLatencies(probe.all.map(({ answer }) => answer.ms))
  const promise = `beside a preview with ${name}, /healthz is answered within ${maxHealthMs} ms`
  const isServed = latencies.maxMs <= maxHealthMs && probe.answers.besides('200') === 0
  drill.checkTime(promise, isServed, `${probe.answers}; ${describeLatencies(latencies)}`)
}

async function uploadFile(operator: Browser, name: string, bytes: Buffer): Promise<number> {
  const body = { kind: 'stores', file_name: name, bytes: bytes.length }
  const { id } = (await operator.json<ImportJob>('POST', '/operator/imports', body)).import
  requireSuccess(await operator.upload(`/operator/imports/${id}/file`, bytes), 'an upload')
  return id
}

/** Checks a file to its end, and measures its rejects. */
async function checkFile(operator: Browser, name: string, bytes: Buffer): Promise<{ bytes: number; end: string }> {
  const id = await uploadFile(operator, name, bytes)
  const started = await operator.request('POST', `/operator/imports/${id}/check`, { options: {} })
  if (started.status !== 200) return { bytes: 0, end: `refused with ${labelOf(started)}` }
  const deadline = performance.now() + maxRunMs
  for (;;) {
    const { import: job } = await operator.json<ImportJob>('GET', `/operator/imports/${id}`)
    if (job.report !== null || job.error !== null) {
      let written = 0
      for (const of of job.rejects) {
        const rejects = requireSuccess(
          await operator.request('GET', `/operator/imports/${id}/rejects/${of}`),
          'rejects',
        )
        written += rejects.body.length
      }
      return { bytes: written, end: job.error ?? job.state }
    }
    if (performance.now() > deadline) return { bytes: Number.POSITIVE_INFINITY, end: 'not ended within two minutes' }
    await delay(50)
  }
}
