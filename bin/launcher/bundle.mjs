import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { explained } from './install.mjs'

const entryName = 'cli.js'
const programs = ['server', 'stripe-standin']
const keptBundles = 3

/**
 * The address of an up-to-date bundle of the command line; the thread of the search and the stand-in for Stripe lie beside
 * it. Bundles lie in a folder named after their sources, so a change of the source makes another one, and one that a
 * running service was started from stays as it is.
 */
export async function prepareBundle(projectDir) {
  const folder = join(projectDir, 'server/dist')
  const bundle = join(folder, `bundle-${hashOfSources(projectDir)}`)
  if (!existsSync(bundle)) {
    const aside = makeAside(folder)
    if (!aside) return urlOf(await bundleForThisRun(projectDir))
    await build(projectDir, aside)
    moveIntoPlace(aside, bundle)
    removeOld(folder)
  }
  return urlOf(bundle)
}

function urlOf(bundle) {
  return pathToFileURL(join(bundle, entryName)).href
}

function hashOfSources(projectDir) {
  const hash = createHash('sha256').update(projectDir)
  for (const workspace of workspaces(projectDir)) {
    const source = join(projectDir, workspace, 'src')
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.m?ts$|\.mjs$/.test(path),
    )
    for (const path of files.sort()) hash.update(`\0${workspace}/${path}\0`).update(readFileSync(join(source, path)))
    hash.update(readFileSync(join(projectDir, workspace, 'package.json')))
  }
  for (const path of ['package-lock.json', 'bin/launcher/bundle.mjs']) hash.update(readFileSync(join(projectDir, path)))
  return hash.digest('hex').slice(0, 16)
}

/** Undefined where the checkout cannot be written to. */
function makeAside(folder) {
  try {
    mkdirSync(folder, { recursive: true })
    return mkdtempSync(join(folder, 'aside-'))
  } catch {
    return undefined
  }
}

/** A folder that nobody else can write to, gone with the process. */
async function bundleForThisRun(projectDir) {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-bundle-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
  await build(projectDir, folder)
  return folder
}

async function build(projectDir, outdir) {
  const esbuild = await import('esbuild')
  try {
    await esbuild.build({
      absWorkingDir: projectDir,
      entryPoints: {
        cli: 'server/src/bin/cli.ts',
        'search-thread': 'server/src/bin/search-thread.ts',
        standin: 'stripe-standin/src/bin/standin.ts',
      },
      outdir,
      bundle: true,
      external: externalPackages(projectDir),
      // What only the service needs is loaded when it is served.
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      sourcemap: true,
      // The checkout is found from here, wherever the bundle lies.
      define: { 'import.meta.dirname': JSON.stringify(join(projectDir, 'server/src/bin')) },
      logLevel: 'silent',
    })
  } catch (cause) {
    rmSync(outdir, { recursive: true, force: true })
    throw explained(`The program could not be put together: ${cause.message}`)
  } finally {
    await esbuild.stop()
  }
}

/**
 * Installed packages are not bundled, except one of several hundred files: finding these takes longer than running them.
 * The workspace packages are source and are bundled.
 */
function externalPackages(projectDir) {
  const names = workspaces(projectDir).flatMap((workspace) =>
    Object.keys(JSON.parse(readFileSync(join(projectDir, workspace, 'package.json'), 'utf8')).dependencies ?? {}),
  )
  return names.filter((name) => name !== 'typebox' && !name.startsWith('@storedex/'))
}

function workspaces(projectDir) {
  return [
    ...programs,
    ...readdirSync(join(projectDir, 'packages'))
      .map((name) => `packages/${name}`)
      .sort(),
  ]
}

function moveIntoPlace(aside, bundle) {
  // Made for one's own eyes; whoever may read the checkout may read what it makes.
  chmodSync(aside, 0o755)
  try {
    renameSync(aside, bundle)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another starter was quicker, with the same result.
    if (!existsSync(bundle)) throw error
  }
}

function removeOld(folder) {
  const age = (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const bundles = readdirSync(folder).filter((name) => name.startsWith('bundle-'))
  const old = bundles.sort((a, b) => age(b) - age(a)).slice(keptBundles)
  for (const name of old) rmSync(join(folder, name), { recursive: true, force: true })
}
