/**
 * Runs measurements on a temporary database and temporary processes. DATABASE_URL may name a PostgreSQL server to use
 * instead of the embedded one.
 *
 *   npm run bench -- [api] [--stores 100000] [--seconds 2] [--rounds 3] [--connections 32] [--accounts 8] [--engine memory] [--only search,reveal_1] [--json]
 *   npm run bench -- compare --baseline COMMIT [--stores 200000] [--seconds 2] [--rounds 3] [--connections 1,32,128] [--accounts 1,8] [--only …] [--report bench/compare.md]
 *   npm run bench -- statements --baseline COMMIT [--stores 20000] [--rounds 3] [--report bench/statements.md]
 *   npm run bench -- outage [the same options as api]
 *   npm run bench -- compression [--stores 20000] [--seconds 2] [--rounds 3] [--connections 16] [--accounts 8] [--engine memory]
 *   npm run bench -- import [--stores 200000] [--contacts 300000] [--serving]
 *   npm run bench -- import --baseline COMMIT [--stores 30000] [--contacts 45000] [--rounds 3]
 *   npm run bench -- messy [--stores 200000] [--contacts 300000] [--only agency,excel,unicode,workbook,workbook-1904,files] [--seed 1] [--report bench/messy.md]
 *   npm run bench -- workbooks [--stores 1048575]
 *   npm run bench -- ledger [--entries 1000000]
 *   npm run bench -- exports [--stores 1000000]
 *   npm run bench -- search [--stores 100000] [--peers postgres-gin,duckdb] [--rounds 7] [--report bench/report.md]
 *   npm run bench -- counts [--stores 100000] [--peers postgres-columns,duckdb] [--rounds 5] [--report bench/counts.md]
 *   npm run bench -- exclude [--stores 100000]
 *   npm run bench -- bad-filters [--stores 1000000] [--minutes 1] [--seed 1]
 *   npm run bench -- search-ready [--stores 100000] [--seconds 5] [--connections 16] [--report bench/report.md]
 *   npm run bench -- profile [the options of api]
 *   npm run bench -- lighthouse [--link URL] [--rounds 3] [--report bench/console.md]
 *   npm run bench -- filters [--stores 1000000] [--report bench/console.md]
 *
 * `--short` makes each do the least work that goes through all of its code.
 */

import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Cleanup } from '@storedex/testkit'
import { printProgress, runCommand } from '../server/test/support/programs/command.ts'
import { openProgram, runScript, serveWith } from '../server/test/support/programs/program.ts'
import { openTemporaryFolder, openWorkspace } from '../server/test/support/programs/workspace.ts'
import { benchApi } from './api/bench.ts'
import { formatReport } from './api/report.ts'
import { benchCompare } from './compare/bench.ts'
import { compareImports, formatImportComparisons } from './compare/imports.ts'
import { renderCompare, writeCompareReport } from './compare/report.ts'
import type { CompareResults } from './compare/results.ts'
import { benchCompression, formatCompression } from './compression.ts'
import { benchFilters } from './console/filters.ts'
import { benchLighthouse } from './console/lighthouse.ts'
import { formatFilters, formatLighthouse, writeConsoleReport } from './console/report.ts'
import { benchCounts } from './counts/bench.ts'
import { renderCounts } from './counts/report.ts'
import { benchExports, formatExportFigures } from './exports.ts'
import { benchLedger } from './ledger.ts'
import { benchFiles, benchMessy, type DialectFigures } from './messy/bench.ts'
import { formatCaseFailures } from './messy/files/report.ts'
import { failuresOf, formatDeviations, renderMessyReport, writeMessyReport } from './messy/report.ts'
import { type Options, readOptions, usage } from './options.ts'
import { benchOutage } from './outage/bench.ts'
import { benchProfile, formatProfiles } from './profile/bench.ts'
import { benchBadFilters, renderBadFilters } from './search/bad-filters/bench.ts'
import { benchSearch } from './search/bench.ts'
import { benchExclusion, renderExclusion } from './search/exclusion.ts'
import { benchReady } from './search/ready.ts'
import { writeReport } from './search/report/report.ts'
import { renderReady, renderSize } from './search/report/tables.ts'
import { benchStatements } from './statements/bench.ts'
import { renderStatements, writeStatementsReport } from './statements/report.ts'
import { benchWorkbooks, formatWorkbookFigures, sheetRows } from './workbooks/bench.ts'

async function run(
  { command, json, stores, contacts, link, report, ...options }: Options,
  cleanup: Cleanup,
): Promise<number> {
  const runLighthouse = async (signInLink: string) => {
    const folder = openTemporaryFolder(cleanup)
    const results = await benchLighthouse({ ...options, link: signInLink }, folder, cleanup, printProgress)
    if (report) writeConsoleReport(resolve(report), 'lighthouse', results)
    process.stdout.write(`${json ? JSON.stringify(results) : formatLighthouse(results)}\n`)
    return 0
  }
  if (command === 'search') {
    const results = await benchSearch(
      { ...options, stores: stores ?? 100_000 },
      openTemporaryFolder(cleanup),
      cleanup,
      printProgress,
    )
    if (report) writeReport(resolve(report), 'search', results)
    process.stdout.write(`${json ? JSON.stringify(results) : renderSize(results)}\n`)
    return 0
  }
  if (command === 'counts') {
    const results = await benchCounts(
      { ...options, stores: stores ?? 100_000 },
      openTemporaryFolder(cleanup),
      cleanup,
      printProgress,
    )
    if (report) writeFileSync(resolve(report), renderCounts(results))
    process.stdout.write(`${json ? JSON.stringify(results) : renderCounts(results)}\n`)
    return 0
  }
  if (command === 'messy') {
    const sizes = { stores: stores ?? 200_000, contacts: contacts ?? 300_000 }
    const figures: DialectFigures[] = []
    const files = options.dialects.includes('files') ? await benchFiles(cleanup, printProgress) : []
    for await (const dialect of benchMessy({ ...options, ...sizes }, cleanup, printProgress)) {
      figures.push(dialect)
      if (report) writeMessyReport(resolve(report), figures, files)
    }
    process.stdout.write(`${json ? JSON.stringify({ dialects: figures, files }) : renderMessyReport(figures, files)}\n`)
    const failures = [...figures.flatMap(failuresOf), ...formatCaseFailures(files)]
    if (failures.length > 0) printProgress([...figures.map((each) => formatDeviations(each)), ...failures].join('\n'))
    return failures.length > 0 ? 1 : 0
  }
  if (command === 'exclude') {
    const size = stores ?? 100_000
    const figures = await benchExclusion({ stores: size, excluded: Math.min(100_000, Math.floor(size / 10)) }, cleanup)
    process.stdout.write(`${json ? JSON.stringify(figures) : renderExclusion(figures)}\n`)
    return 0
  }
  if (command === 'bad-filters') {
    const figures = await benchBadFilters({ ...options, stores: stores ?? 1_000_000 }, cleanup, printProgress)
    process.stdout.write(`${json ? JSON.stringify(figures) : renderBadFilters(figures)}\n`)
    return 0
  }
  if (command === 'lighthouse' && link !== null) return runLighthouse(link)
  const workspace = await openWorkspace(process.env.DATABASE_URL || null, cleanup)
  if (command === 'lighthouse') {
    const service = await openProgram(workspace, cleanup).serve({ DEMO: '1' })
    return runLighthouse(service.console)
  }
  if (command === 'filters') {
    const results = await benchFilters({ ...options, stores: stores ?? 1_000_000 }, workspace, cleanup, printProgress)
    if (report) writeConsoleReport(resolve(report), 'filters', results)
    process.stdout.write(`${json ? JSON.stringify(results) : formatFilters(results)}\n`)
    return 0
  }
  if (command === 'search-ready') {
    const results = await benchReady({ ...options, stores: stores ?? 100_000 }, workspace, cleanup, printProgress)
    if (report) writeReport(resolve(report), 'ready', results)
    process.stdout.write(`${json ? JSON.stringify(results) : renderReady([results])}\n`)
    return 0
  }
  if (command === 'import' && options.baseline !== '') {
    const compared = { ...options, stores: stores ?? 30_000, contacts: contacts ?? 45_000 }
    const results = await compareImports(compared, workspace, cleanup, printProgress)
    process.stdout.write(`${json ? JSON.stringify(results) : formatImportComparisons(results)}\n`)
    return 0
  }
  if (command === 'import') {
    const service = options.serving ? await serveWith('memory', openProgram(workspace, cleanup)) : null
    const args = [
      ...['--url', workspace.databaseUrl, '--data-dir', workspace.dataDir],
      ...['--stores', String(stores ?? 200_000), '--contacts', String(contacts ?? 300_000)],
      ...(service ? ['--metrics', service.metricsUrl] : []),
    ]
    await runScript(join(import.meta.dirname, 'import.ts'), args, workspace, cleanup)
    return 0
  }
  if (command === 'workbooks') {
    const figures = await benchWorkbooks(Math.min(stores ?? sheetRows, sheetRows), workspace, cleanup, printProgress)
    process.stdout.write(`${json ? JSON.stringify(figures) : formatWorkbookFigures(figures)}\n`)
    return 0
  }
  if (command === 'ledger') {
    const figures = await benchLedger(options, workspace, cleanup, printProgress)
    process.stdout.write(`${JSON.stringify(figures, null, json ? undefined : 2)}\n`)
    return 0
  }
  if (command === 'exports') {
    const figures = await benchExports(stores ?? 1_000_000, workspace, cleanup, printProgress)
    process.stdout.write(`${json ? JSON.stringify(figures) : formatExportFigures(figures)}\n`)
    return 0
  }
  if (command === 'compare') {
    const keep = (results: CompareResults) => report && writeCompareReport(resolve(report), results)
    const { crowds } = options
    const mostAccounts = Math.max(...crowds.accounts)
    const compared = { ...options, ...crowds, mostAccounts, stores: stores ?? 200_000 }
    const results = await benchCompare(compared, workspace, cleanup, printProgress, keep)
    process.stdout.write(`${json ? JSON.stringify(results) : renderCompare(results)}\n`)
    return 0
  }
  if (command === 'statements') {
    const compared = { ...options, stores: stores ?? 20_000 }
    const results = await benchStatements(compared, workspace, cleanup, printProgress)
    if (report) writeStatementsReport(resolve(report), results)
    process.stdout.write(`${json ? JSON.stringify(results) : renderStatements(results)}\n`)
    return 0
  }
  if (command === 'profile') {
    const profiles = await benchProfile({ ...options, stores: stores ?? 20_000 }, workspace, cleanup, printProgress)
    process.stdout.write(`${json ? JSON.stringify(profiles) : formatProfiles(profiles)}\n`)
    return 0
  }
  if (command === 'compression') {
    const measured = { ...options, stores: stores ?? 20_000 }
    const figures = await benchCompression(measured, workspace, cleanup, printProgress)
    process.stdout.write(`${json ? JSON.stringify(figures) : formatCompression(figures)}\n`)
    return 0
  }
  if (command === 'outage') {
    const figures = await benchOutage({ ...options, stores: stores ?? 100_000 }, workspace, cleanup, printProgress)
    process.stdout.write(`${JSON.stringify(figures, null, json ? undefined : 2)}\n`)
    return 0
  }
  const figures = await benchApi({ ...options, stores: stores ?? 100_000 }, workspace, cleanup, printProgress)
  process.stdout.write(`${json ? JSON.stringify(figures) : formatReport(figures)}\n`)
  return 0
}

await runCommand({ usage, readOptions, run })
