import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { Counts } from '../../server/test/promises/clients/support/counts.ts'
import { HttpConnection, labelOf, requestText } from '../client/http-connection.ts'
import { Probe } from '../client/probe.ts'
import { checkInvariants, type Installation, lookup, openInstallation } from '../installation/installation.ts'
import { ProcessSampler } from '../installation/resources.ts'
import type { Drill, Scenario } from '../scenario.ts'

const bodyMb = 200
const bodyRequests = 40
const maxServerGrowthMb = 150
const maxImportMb = 600
const maxImportMs = 180_000

export const bombs: Scenario = {
  name: 'bombs',
  title: 'gzip bombs, as a body and as a file',
  expected: `bodies that unpack to ${bodyMb} MB are refused with a 4xx without being unpacked, and a healthy client beside them gets nothing but 200. Files that unpack to a thousand times their size, of one endless line and of endless short lines, are imported within ${maxImportMb} MB of memory and end with a result or a sentence.`,

  async run(drill) {
    const installation = await openInstallation(drill)
    await sendBodies(drill, installation)
    const megabytes = drill.isShort ? 256 : 2_048
    await importBomb(drill, installation, 'one endless line', Buffer.alloc(1 << 20, 'x'), megabytes)
    // Import time depends on the number of lines.
    await importBomb(drill, installation, 'endless empty lines', Buffer.alloc(1 << 20, '\n'), megabytes / 32)
    await importBomb(
      drill,
      installation,
      'endless lines that are no records',
      Buffer.from('{}\n'.repeat(1 << 18)),
      megabytes / 64,
    )
    await checkInvariants(drill, installation)
  },
}

async function sendBodies(drill: Drill, { service, accounts, domains }: Installation): Promise<void> {
  const { key } = accounts.greedy
  const packed = gzipSync(Buffer.concat([Buffer.from('{"filters":"'), Buffer.alloc(bodyMb << 20, 'x')]))
  const headers = {
    'content-encoding': 'gzip',
    'content-type': 'application/json',
    'content-length': String(packed.length),
  }
  const head = requestText('POST', '/api/v1/stores/search', { key, headers })
  const sampler = new ProcessSampler(() => service.pid, 100)
  const client = new Probe({ origin: service.origin, text: lookup(domains[6]!, accounts.modest.key), everyMs: 50 })
  const answers = new Counts()
  for (let sent = 0; sent < bodyRequests; sent++) {
    const connection = new HttpConnection(service.origin)
    answers.add(labelOf(await connection.request(head, 15_000, packed)))
    connection.close()
  }
  await client.stop()
  sampler.stop()
  const refusals = ['400', '413', '415']
  drill.check('packed bodies are refused', answers.besides(...refusals) === 0, String(answers))
  drill.check(
    'a healthy client beside them gets nothing but 200',
    client.answers.besides('200') === 0,
    String(client.answers),
  )
  const memory = `${Math.round(sampler.firstMb)} MB before, ${Math.round(sampler.maxMb)} MB at most`
  const isBounded = sampler.maxMb - sampler.firstMb <= maxServerGrowthMb
  drill.check(`the server's memory grows by at most ${maxServerGrowthMb} MB`, isBounded, memory)
}

async function importBomb(
  drill: Drill,
  installation: Installation,
  name: string,
  block: Buffer,
  megabytes: number,
): Promise<void> {
  const file = join(drill.folder, `${name.replaceAll(' ', '-')}.ndjson.gz`)
  const blocks = Math.max(1, Math.round((megabytes * 2 ** 20) / block.length))
  const repeated = function* () {
    for (let index = 0; index < blocks; index++) yield block
  }
  await pipeline(Readable.from(repeated()), createGzip({ level: 1 }), createWriteStream(file))
  const { child, end } = installation.commands.start('import', 'stores', file)
  const timer = setTimeout(() => child.kill('SIGTERM'), maxImportMs)
  const { code, stderr, seconds, peakMb } = await end
  clearTimeout(timer)
  const isEnded = code === 0 || (code === 1 && stderr.trim().length > 0 && stderr.trim().length < 2_000)
  const came = `exit code ${code} after ${seconds.toFixed(1)} s${stderr.trim() && `: ${stderr.trim().slice(0, 300)}`}`
  drill.check(`a file of ${name} ends with a result or a sentence`, isEnded, came)
  drill.check(`a file of ${name} takes at most ${maxImportMb} MB`, peakMb <= maxImportMb, `${Math.round(peakMb)} MB`)
}
