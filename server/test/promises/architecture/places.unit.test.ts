import { describe, expect, test } from 'vitest'
import type { SourceFacts } from './support/facts.ts'
import { parse } from './support/parse.ts'
import { filesIn, isTestPath } from './support/tree.ts'

interface Place {
  rule: string
  /** Where the rule is kept. */
  within: RegExp
  /** Where it may be done. */
  except: RegExp
  find: (facts: SourceFacts) => string[]
  /** What the rule has to see. */
  seen: string[]
}

const product = /^(server|packages\/(?!testkit\/)[\w-]+|stripe-standin|client|console)\/src\//

const calls = (facts: SourceFacts, pattern: RegExp) =>
  facts.calls.filter(({ name }) => pattern.test(name)).map(({ name }) => name)
const reads = (facts: SourceFacts, pattern: RegExp) => facts.accesses.filter((name) => pattern.test(name))
const imports = (facts: SourceFacts, pattern: RegExp) =>
  facts.imports.filter(({ from, isTypeOnly }) => !isTypeOnly && pattern.test(from)).map(({ from }) => from)
const texts = (facts: SourceFacts, pattern: RegExp) => facts.literals.filter((text) => pattern.test(text))

const outgoing = /^(connect|createConnection|request|get|Socket|TLSSocket|\*)$/
const sql =
  /\b(select\s[^'"]*\sfrom\s|insert into\s|update\s+[a-z_]+\s+(as\s+)?([a-z]+\s+)?set\s|delete from\s|\bcopy\s+[a-z_]+\s*\()/
const moneyWrite =
  /\b(insert into|update|delete from)\s+(ledger|usage_counters|key_counters|store_exports|reveals|request_windows)\b/
const sqlClock =
  /(?<![.\w])now\(\)|\b(clock_timestamp|statement_timestamp|transaction_timestamp)\(|\bcurrent_(timestamp|date|time)\b/

const places: Place[] = [
  {
    rule: 'only the configuration and programs read the environment',
    within: product,
    except: /^server\/src\/(operations\/config\.ts|program\/bin\/)|^stripe-standin\/src\/bin\//,
    find: (facts) => reads(facts, /^process\.env\b/),
    seen: ['const { env } = process', "process['env'].HOST", 'const all = { ...process.env }'],
  },
  {
    rule: 'only programs exit the process',
    within: product,
    except: /^server\/src\/program\/|^stripe-standin\/src\/bin\//,
    find: (facts) => calls(facts, /^process\.(exit|abort|reallyExit)$/),
    seen: ['process.exit(1)', 'globalThis.process.exit()'],
  },
  {
    rule: 'time comes from the clock that is passed in',
    within: /^(server|stripe-standin)\/src\//,
    except: /^server\/src\/foundation\/kernel\/time\.ts$|^stripe-standin\/src\/standin\.ts$/,
    find: (facts) => [
      ...calls(facts, /^Date\.now$/),
      ...facts.calls.filter(({ name, args }) => name === 'Date' && args.length === 0).map(({ name }) => name),
    ],
    seen: ['const now = Date.now()', 'const now = new Date()', 'const now = Date()', 'read(globalThis.Date.now())'],
  },
  {
    rule: 'SQL stands in queries, the database layer and the search',
    within: product,
    except:
      /^server\/src\/(foundation\/db|search\/(engines\/postgres|replica))\/|^server\/src\/.*(queries|bulk-insert)\.ts$/,
    find: (facts) => texts(facts, sql),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: The source text of a template.
    seen: ['db.query(`select id from ${table} where id = 1`)', "db.query('delete from lists')"],
  },
  {
    // The exceptions compare the database's clock with this machine's, or record when a migration ran.
    rule: 'SQL takes its time as a parameter',
    within: product,
    except: /^server\/src\/(foundation\/db|customers\/ledger\/closing)\//,
    find: (facts) => texts(facts, sqlClock),
    seen: ["db.query('select now()')", "db.query('select current_timestamp')"],
  },
  {
    rule: 'only one room writes money',
    within: product,
    except: /^server\/src\/customers\/ledger\//,
    find: (facts) => texts(facts, moneyWrite),
    seen: [
      "db.query('insert into ledger (amount) values (1)')",
      "db.query('update usage_counters set used = 0')",
      "db.query('delete from reveals')",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: The source text of a template.
      'const sql = `insert into store_exports select ${columns}`',
    ],
  },
  {
    // Two of these ask the driver how it reads a URL, and one shapes what it sends; they connect to nothing.
    rule: 'connections to the database are made where several hosts are understood',
    within: product,
    except:
      /^packages\/pg-lanes\/src\/(host-client|connection-pool|driver\/prepared-query)\.ts$|^server\/src\/foundation\/db\/(migrate|tls)\.ts$|^packages\/embedded-postgres\/src\/start\.ts$/,
    find: (facts) => [...reads(facts, /^pg\.(Client|Pool|native)$/), ...calls(facts, /^(pg\.)?(Client|Pool)$/)],
    seen: ['class Mine extends pg.Client {}', 'const pool = new pg.Pool()', 'const client = new Client()'],
  },
  {
    // A URL that a caller, an import or a stored contact names is text: nothing of it is ever fetched.
    rule: 'only the payment provider is called over the network, and the service by its own clients',
    within: product,
    except:
      /^server\/src\/(customers\/billing\/stripe\/|doors\/cli\/mcp\/service-calls\.ts$)|^stripe-standin\/src\/events\/delivery\.ts$|^client\/src\/transport\/transport\.ts$|^console\/src\/api\/(client|connection)\.ts$/,
    find: (facts) => [
      ...calls(facts, /^(fetch|WebSocket|EventSource|XMLHttpRequest|navigator\.sendBeacon)$/),
      ...imports(facts, /^(node:)?(https|http2|dgram|tls|dns|undici|axios|got)(\/|$)/),
      ...facts.imports
        .filter(({ from, isTypeOnly }) => !isTypeOnly && /^(node:)?(http|net)$/.test(from))
        .flatMap(({ names, values }) => (names.length > 0 ? values : ['*']))
        .filter((name) => outgoing.test(name)),
    ],
    seen: [
      "await fetch('http://x.example')",
      "await globalThis.fetch('http://x.example')",
      "import { connect } from 'node:net'",
      "import http from 'node:http'",
      "import { request } from 'https'",
      "const { lookup } = await import('node:dns')",
      "new WebSocket('ws://x.example')",
    ],
  },
  {
    rule: 'only what people have set up is called besides: their mail server and their sign-in provider',
    within: product,
    except: /^server\/src\/customers\/users\/(mail|openid\/provider)\.ts$/,
    find: (facts) => imports(facts, /^(nodemailer|openid-client)(\/|$)/),
    seen: ["import { createTransport } from 'nodemailer'", "await import('openid-client')"],
  },
  {
    // The exceptions write files to standard output: a template, and lists as CSV.
    rule: 'text for a terminal passes the function that escapes what came from outside',
    within: /^server\/src\//,
    except: /^server\/src\/doors\/cli\/(context|import\/template|ledger\/ledger)\.ts$/,
    find: (facts) => calls(facts, /(^|\.)(stdout|stderr)\.write$|^console\.\w+$/),
    seen: ["cli.stdout.write('x')", "process.stderr.write('x')", "stderr.write('x')", "console.log('x')"],
  },
  {
    rule: 'only one room knows the library of the payment provider',
    within: product,
    except: /^server\/src\/customers\/billing\/stripe\//,
    find: (facts) => facts.imports.filter(({ from }) => /^stripe(\/|$)/.test(from)).map(({ from }) => from),
    seen: ["import type Stripe from 'stripe'"],
  },
]

describe.each(places)('$rule', ({ within, except, find, seen }) => {
  test('everywhere', () => {
    const files = filesIn(within)
    expect(files.length).toBeGreaterThan(10)
    const wrong = files
      .filter(({ path }) => !except.test(path))
      .flatMap((facts) => find(facts).map((it) => [facts.path, it]))
    expect(wrong).toEqual([])
  })

  test.each(seen)('%s is seen', (text) => {
    expect(find(parse('planted.ts', text))).not.toEqual([])
  })

  test('and not in comments and messages', () => {
    expect(find(parse('planted.ts', seen.map((text) => `// ${text}`).join('\n')))).toEqual([])
  })
})

test('every exception is still one', () => {
  const unused = places.filter(
    ({ within, except, find }) =>
      !filesIn(within).some((facts) => !isTestPath(facts.path) && except.test(facts.path) && find(facts).length > 0),
  )
  expect(unused.map(({ rule }) => rule)).toEqual([])
})
