/**
 * A process of its own that uses the embedded PostgreSQL: opens it, says so in one line of JSON, and holds it until it is
 * asked to let go (a line on standard input, or SIGINT). After SIGINT it first asks the server something.
 */
import { once } from 'node:events'
import pg from 'pg'
import { openEmbeddedPostgres, type TestOptions } from './setup.ts'

const options = JSON.parse(process.argv[2]!) as TestOptions
const asked = Promise.race([
  once(process.stdin, 'data').then(() => 'line'),
  once(process, 'SIGINT').then(() => 'SIGINT'),
])
const postgres = await openEmbeddedPostgres(options)
say({ url: postgres.url, adopted: postgres.adopted })
if ((await asked) === 'SIGINT') {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query('select 1 as one')
  await client.end()
  say({ answered: rows[0].one === 1 })
}
await postgres.release()
say({ released: true })
process.stdin.destroy()

function say(fact: object): void {
  process.stdout.write(`${JSON.stringify(fact)}\n`)
}
