import { formatCount, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Num } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { Tile, Tiles } from '#ui/data/tile.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import type { ImportReport } from '../api.ts'
import { OperatorSection } from '../facts.tsx'
import { hintInWords } from './sentences.ts'

interface ReportSectionProps {
  report: ImportReport
  /** The rejects can be downloaded. */
  canMend: boolean
  /** Runs it again and leaves bad values out; undefined when it cannot run again. */
  onDrop: (() => void) | undefined
  isPending: boolean
}

/** The result of the records, and why some were rejected. */
export function ReportSection({ report, canMend, onDrop, isPending }: ReportSectionProps) {
  const isCheck = report.run === 'check'
  const more = report.parts.reduce((sum, part) => sum + part.would_take_with_drop, 0)
  return (
    <div className="space-y-6">
      {report.parts.map((part) => (
        <OperatorSection key={part.of} title={titleOf(part, report)} description={describe(part, isCheck)}>
          <div className="space-y-4">
            <Figures part={part} isCheck={isCheck} />
            <Problems label={`Problems of ${nameOf(part)}`} problems={part.problems} />
            <Problems label={`Worth knowing of ${nameOf(part)}`} problems={part.notices ?? []} />
          </div>
        </OperatorSection>
      ))}
      {more > 0 && (
        <Banner
          actions={
            onDrop && (
              <Button isPending={isPending} onPress={onDrop}>
                {isCheck ? 'Check again without bad values' : 'Import again without bad values'}
              </Button>
            )
          }
        >
          {formatCount(more, 'rejected record')} would be taken if only the bad values were left out.
        </Banner>
      )}
      {canMend && (
        <p className="text-muted">
          The rejects have the columns of the file, and the reasons. Mend them in a spreadsheet and import that file:
          the added columns are ignored.
        </p>
      )}
    </div>
  )
}

function Problems({
  label,
  problems,
}: {
  label: string
  problems: readonly ImportReport['parts'][number]['problems'][number][]
}) {
  if (problems.length === 0) return null
  return (
    <Table
      hasCards
      label={label}
      columns={problemColumns}
      rows={problems}
      getId={({ field, reason }) => `${field} ${reason}`}
      className="max-h-[60dvh]"
    />
  )
}

function nameOf({ of }: ImportReport['parts'][number]): string {
  return of === 'stores' ? 'stores' : 'people'
}

function titleOf(part: ImportReport['parts'][number], { run, parts }: ImportReport): string {
  const of2 = parts.length > 1 ? `: ${nameOf(part)}` : ''
  return `${run === 'check' ? 'What the check found' : 'Result'}${of2}`
}

function describe({ read, seconds }: ImportReport['parts'][number], isCheck: boolean): string {
  const took = `${formatCount(read, 'record')} read in ${formatNumber(seconds, { maximumFractionDigits: 1 })} s.`
  return isCheck ? `${took} Nothing was changed.` : took
}

function Figures({ part, isCheck }: { part: ImportReport['parts'][number]; isCheck: boolean }) {
  const { inserted, updated, unchanged, rejected, dropped } = part
  return (
    <Tiles>
      <Tile label={isCheck ? 'Would be new' : 'New'} value={inserted} />
      <Tile label={isCheck ? 'Would change' : 'Changed'} value={updated} />
      <Tile label="Same as before" value={unchanged} />
      <Tile label="Rejected" value={rejected} />
      {dropped > 0 && <Tile label="Values left out" value={dropped} />}
    </Tiles>
  )
}

const problemColumns: TableColumn<ImportReport['parts'][number]['problems'][number]>[] = [
  { id: 'field', label: 'Field', render: ({ field }) => <code className="wrap-anywhere">{field || '–'}</code> },
  {
    id: 'reason',
    label: 'Reason',
    render: ({ reason, hint }) => (
      <div className="wrap-anywhere">
        {reason}
        {hint && <div className="text-muted text-xs">{hintInWords(hint)}</div>}
      </div>
    ),
  },
  { id: 'count', label: 'Records', align: 'end', render: ({ count }) => <Num value={count} /> },
  {
    id: 'example',
    label: 'First seen',
    render: ({ line, value }) => (
      <span className="wrap-anywhere">
        line {formatNumber(line)}
        {value !== null && (
          <>
            : <bdi>“{value}”</bdi>
          </>
        )}
      </span>
    ),
  },
]
