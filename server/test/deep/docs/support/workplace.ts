import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findProjectDir } from '../../../../src/operations/config.ts'
import { findProgram, type Service } from './service.ts'
import { openShell, type Shell } from './shell.ts'

export const projectDir = findProjectDir(import.meta.dirname)

/** Everything that differs between the documents' installation and the test's; nothing else in a block is changed. */
export interface Example {
  /** As the documents write it. */
  written: string
  real: string
}

export function examplesOf(service: Service, contact: string, folder: string): Example[] {
  return [
    { written: 'http://127.0.0.1:8080', real: service.url },
    { written: 'sdx_live_…', real: service.liveKey },
    { written: 'sdx_test_…', real: service.testKey },
    { written: 'ct_live_…', real: contact },
    { written: '/path/to/storedex', real: folder },
    { written: '/another/place/', real: join(folder, 'another-place') },
  ]
}

export interface Workplace {
  /** Stands for the checkout: commands start here, and what they write stays here. */
  folder: string
  shell: Shell
}

/** Makes a folder that looks like the checkout to a document's commands, with a shell in it. */
export function openWorkplace(root: string, service: Service): Workplace {
  const folder = mkdtempSync(join(root, 'checkout-'))
  for (const name of ['bin', 'catalogue', 'docs', 'node_modules', 'openapi', 'package-lock.json', 'tsconfig.json'])
    symlinkSync(join(projectDir, name), join(folder, name))
  for (const name of ['client', 'package.json'])
    cpSync(join(projectDir, name), join(folder, name), { recursive: true, filter: (path) => !/\/dist$/.test(path) })
  symlinkSync(service.dataDir, join(folder, '.storedex'))
  mkdirSync(join(folder, 'another-place'))

  const scratch = mkdtempSync(join(root, 'shell-'))
  const programs = join(scratch, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'npx'), npxFor(join(projectDir, 'bin/storedex.mjs')), { mode: 0o755 })
  writeFileSync(join(scratch, 'created'), service.ids.join('\n'))
  writeFileSync(join(programs, 'my-export'), `#!/bin/sh\necho '{"domain":"my-export.example"}'\n`, { mode: 0o755 })
  const { PATH = '', HOME = '' } = process.env
  const env = {
    ...{ PATH: programs + delimiter + PATH, HOME, DATA_DIR: service.dataDir, npm_config_offline: 'true' },
    ...{ STOREDEX_URL: service.url, STOREDEX_API_KEY: service.liveKey },
  }
  return { folder, shell: openShell(scratch, { cwd: folder, env }) }
}

/**
 * A program that stands for npx: it starts the launcher itself, without the second that npx takes to find it, and replaces
 * `acct_…` and `key_…` by the account and the key that were created last. Everything else is left to npx.
 */
function npxFor(launcher: string): string {
  return `#!/bin/bash
if [ "$1" != storedex ]; then exec '${findProgram('npx')}' "$@"; fi
shift
created="$(dirname "$0")/../created"
last() { grep -o "$1[A-Za-z]*" "$created" | tail -n 1; }
set -- "\${@//acct_…/$(last acct_)}"
set -- "\${@//key_…/$(last key_)}"
if [ "$2" != create ]; then exec '${process.execPath}' '${launcher}' "$@"; fi
set -o pipefail
'${process.execPath}' '${launcher}' "$@" | tee -a "$created"
`
}
