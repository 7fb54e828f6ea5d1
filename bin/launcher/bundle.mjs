import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hashFiles, prepareBuild } from './builds.mjs'
import { explained } from './install.mjs'

const entryName = 'cli.js'
const programs = ['server', 'stripe-standin']

/**
 * The address of an up-to-date bundle of the command line; the threads and the stand-in for Stripe lie beside it.
 */
export async function prepareBundle(projectDir) {
  const folder = await prepareBuild(projectDir, {
    kind: 'bundle',
    hash: hashOfSources(projectDir),
    build: (outdir) => build(projectDir, outdir),
  })
  return pathToFileURL(join(folder, entryName)).href
}

function hashOfSources(projectDir) {
  const folders = workspaces(projectDir)
  return hashFiles(projectDir, {
    files: [
      ...folders.map((workspace) => `${workspace}/package.json`),
      ...['package-lock.json', 'bin/launcher/builds.mjs', 'bin/launcher/bundle.mjs'],
    ],
    folders: folders.map((workspace) => `${workspace}/src`),
    matching: /\.m?ts$|\.mjs$/,
  })
}

async function build(projectDir, outdir) {
  // A bundle outside the checkout finds the packages through it.
  if (!outdir.startsWith(join(projectDir, 'server')))
    symlinkSync(join(projectDir, 'node_modules'), join(outdir, 'node_modules'))
  const esbuild = await import('esbuild')
  try {
    await esbuild.build({
      absWorkingDir: projectDir,
      entryPoints: {
        cli: 'server/src/program/bin/cli.ts',
        worker: 'server/src/program/bin/worker.ts',
        'search-thread': 'server/src/program/bin/search-thread.ts',
        'count-thread': 'server/src/program/bin/count-thread.ts',
        'import-thread': 'server/src/program/bin/import-thread.ts',
        'reading-thread': 'server/src/program/bin/reading-thread.ts',
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
      define: { 'import.meta.dirname': JSON.stringify(join(projectDir, 'server/src/program/bin')) },
      logLevel: 'silent',
    })
  } catch (cause) {
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
