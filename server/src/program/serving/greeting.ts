import type { DemoKeys } from './demo-keys.ts'

/** The output of a start: the service's addresses and how to make a first request. */
export interface Greeting {
  /** The console: its address, or a link that signs in once as the demonstration's owner where it may be shown. */
  console: string
  /** The file with this start's link to the console, where it may not be shown; otherwise null. */
  console_link_file: string | null
  api: string
  docs: string
  data_dir: string
  /** The payment provider, and whether real money is charged. */
  billing: string
  live_key: string | null
  test_key: string | null
  /** A shell command for a first request; null without a key. */
  curl: string | null
  /** Warnings; null for none. */
  notice: string | null
}

interface Address {
  publicUrl: string
  port: number
  isPortGiven: boolean
  dataDir: string
}

interface GreetingInput {
  wantedPort: number
  keys: DemoKeys | null
  /** The link that signs in to the console, if it may be shown, or the file that has it; null without the demonstration's person. */
  consoleLink: { url: string } | { file: string } | null
  billing: string
  /** Warnings for the operator. */
  warnings: readonly string[]
}

export function createGreeting(
  address: Address,
  { wantedPort, keys, consoleLink, billing, warnings }: GreetingInput,
): Greeting {
  const api = `${address.publicUrl}/api/v1`
  const portChanged = !address.isPortGiven && address.port !== wantedPort
  const portNotice = portChanged ? [`Port ${wantedPort} is taken, so it listens on ${address.port}.`] : []
  return {
    console: consoleLink && 'url' in consoleLink ? consoleLink.url : `${address.publicUrl}/`,
    console_link_file: consoleLink && 'file' in consoleLink ? consoleLink.file : null,
    api,
    docs: `${address.publicUrl}/docs`,
    data_dir: address.dataDir,
    billing,
    live_key: keys?.live ?? null,
    test_key: keys?.test ?? null,
    curl: keys && `curl -s -H 'Authorization: Bearer ${keys.live}' ${api}${firstPath}`,
    notice: [...portNotice, ...warnings].join(' ') || null,
  }
}

const firstPath = '/stores/aurora-candles.example'

/**
 * Formats the greeting for a person. Keys are shown once and only on a terminal, and so is the console's link, because redirected
 * output is kept in files or log collectors. Otherwise the greeting names the file that has them, and its example request reads the
 * key from there.
 */
export function formatGreeting(
  greeting: Greeting,
  keys: DemoKeys | null,
  { isTerminal }: { isTerminal: boolean },
): string {
  const { notice, live_key, test_key } = greeting
  const showKeys = isTerminal && keys?.areNew
  const keyLines =
    keys &&
    (showKeys ? [`  Live key       ${live_key}`, `  Test key       ${test_key}`] : [`  Keys           ${keys.file}`])
  const curl = showKeys ? greeting.curl : keys && curlWithKeyFrom(keys.file, `${greeting.api}${firstPath}`)
  const lines = [
    'Storedex is running. Ctrl-C ends it.',
    ...(notice ? ['', notice] : []),
    '',
    `  Console        ${greeting.console}`,
    ...(greeting.console_link_file
      ? [`  Sign in        with console_link in ${greeting.console_link_file}, once`]
      : []),
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
