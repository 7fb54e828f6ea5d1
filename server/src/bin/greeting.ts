import type { DemoKeys } from './demo-keys.ts'

/** What a start tells: where the service is and how to make a first request. */
export interface Greeting {
  api: string
  docs: string
  data_dir: string
  /** Who is asked for payment, and whether money moves. */
  billing: string
  live_key: string | null
  test_key: string | null
  /** A request that works when pasted; null without a key to make it with. */
  curl: string | null
  /** What is not as one would expect. */
  notice: string | null
}

interface Address {
  publicUrl: string
  port: number
  isPortGiven: boolean
  dataDir: string
}

interface Facts {
  wantedPort: number
  keys: DemoKeys | null
  billing: string
  /** Further sentences for the operator. */
  warnings: readonly string[]
}

export function createGreeting(address: Address, { wantedPort, keys, billing, warnings }: Facts): Greeting {
  const api = `${address.publicUrl}/api/v1`
  const isElsewhere = !address.isPortGiven && address.port !== wantedPort
  const moved = isElsewhere ? [`Port ${wantedPort} is taken, so it listens on ${address.port}.`] : []
  return {
    api,
    docs: `${address.publicUrl}/docs`,
    data_dir: address.dataDir,
    billing,
    live_key: keys?.live ?? null,
    test_key: keys?.test ?? null,
    curl: keys && `curl -s -H 'Authorization: Bearer ${keys.live}' ${api}${firstPath}`,
    notice: [...moved, ...warnings].join(' ') || null,
  }
}

const firstPath = '/stores/aurora-candles.example'

/**
 * The same for a person. Keys are shown once, and only on a terminal: output that goes elsewhere is kept, in a file or by
 * a log collector. Otherwise the greeting names the keys' file, and its request reads the key from there.
 */
export function formatGreeting(
  greeting: Greeting,
  keys: DemoKeys | null,
  { isTerminal }: { isTerminal: boolean },
): string {
  const { notice, live_key, test_key } = greeting
  const areShown = isTerminal && keys?.areNew
  const keyLines =
    keys &&
    (areShown ? [`  Live key       ${live_key}`, `  Test key       ${test_key}`] : [`  Keys           ${keys.file}`])
  const curl = areShown ? greeting.curl : keys && curlWithKeyFrom(keys.file, `${greeting.api}${firstPath}`)
  const lines = [
    'Storedex is running. Ctrl-C ends it.',
    ...(notice ? ['', notice] : []),
    '',
    `  API            ${greeting.api}`,
    `  Documentation  ${greeting.docs}`,
    `  Data           ${greeting.data_dir}`,
    `  Billing        ${greeting.billing}`,
  ]
  if (keyLines) lines.push('', ...keyLines, '', 'Try it:', '', `  ${curl}`, '')
  else
    lines.push(
      '',
      'Make an account and a key to begin with:',
      '',
      '  npx storedex accounts create --name "My company" --plan pro',
      '  npx storedex keys create <account id> --name "My first key"',
      '',
    )
  return lines.join('\n')
}

function curlWithKeyFrom(file: string, url: string): string {
  return `curl -s -H "Authorization: Bearer $(node -p 'require(process.argv[1]).live' ${quoteForShell(file)})" ${url}`
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
