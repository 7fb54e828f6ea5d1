import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { useSetting } from '#api/settings.ts'
import { formatNumber, formatPeople } from '#lib/format.ts'
import { useDebounced } from '#lib/use-value.ts'
import { Button } from '#ui/actions/button.tsx'
import { Checkbox } from '#ui/fields/checkbox.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { NumberField } from '#ui/fields/number-field.tsx'
import { RadioTiles } from '#ui/fields/radio-tiles.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'
import { type ExportKind, type ExportRequest, exportColumnsQuery } from '../exports/api.ts'
import {
  canCompress,
  type ExportSource,
  fitsFormat,
  knownFormat,
  mostRows,
  settingGroup,
  startingForm,
  startingRows,
  toRequest,
} from './export-form-state.ts'
import { ColumnsSection, FormatField } from './file-fields.tsx'
import { exportQuoteQuery, QuoteSection } from './quote-section.tsx'
import { useStart } from './use-start.ts'

interface ExportFormProps {
  account: string
  source: ExportSource
  isReveal: boolean
  onStarted: (id: string) => void
  onCancel: () => void
}

const kindOptions: Record<ExportKind, { label: string; description: string }> = {
  stores: { label: 'Stores', description: 'One store export each, once a period.' },
  contacts: { label: 'People with channels', description: 'One credit for each new person.' },
  previews: { label: 'People without channels', description: 'No credits; store exports only.' },
}

const quoteAfterMs = 250

export function ExportForm({ account, source, isReveal, onStarted, onCancel }: ExportFormProps) {
  const remembered = useSetting(settingGroup, 'format')
  const [form, setForm] = useState(() => startingForm(source, knownFormat(remembered), isReveal))
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part })
  const request = useDebounced(JSON.stringify(toRequest(source, form)), quoteAfterMs)
  const asked: ExportRequest = JSON.parse(request)
  const quote = useQuery({ ...exportQuoteQuery(account, asked), enabled: asked.columns?.length !== 0 })
  const { start, isStarting, error } = useStart({ account, onStarted })
  const columns = useQuery(exportColumnsQuery)
  const { kind, format, maxRows, maxCredits } = form
  const isContacts = kind === 'contacts'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (form.columns?.length !== 0) void start(toRequest(source, form), quote.data)
  }
  const isOld = quote.isPlaceholderData || request !== JSON.stringify(toRequest(source, form))
  return (
    <form onSubmit={submit} className="space-y-4">
      {source.kinds.length > 1 && (
        <RadioTiles
          label="What"
          options={source.kinds.map((id) => ({ id, ...kindOptions[id] }))}
          value={kind}
          onChange={(next) =>
            change({
              kind: next,
              columns: null,
              maxRows: startingRows(next),
              ...(!fitsFormat(next, format) && { format: 'csv' }),
            })
          }
        />
      )}
      <FormatField kind={kind} value={format} onChange={(next) => change({ format: next })} />
      <ColumnsSection
        kind={kind}
        format={format}
        columns={columns.data}
        chosen={form.columns}
        onChange={(chosen) => change({ columns: chosen })}
      />
      <div className="flex flex-wrap items-start gap-3">
        <NumberField
          label={kind === 'stores' ? 'Stores at most' : 'People at most'}
          placeholder="All that match"
          value={maxRows}
          onChange={(rows) => change({ maxRows: rows })}
          minValue={1}
          maxValue={mostRows}
          className="w-40"
        />
        {source.matches !== undefined && maxRows < source.matches && (
          <Button className="mt-6" onPress={() => change({ maxRows: Number.NaN })}>
            All {formatNumber(source.matches)}
          </Button>
        )}
        {isContacts && (
          <NumberField
            label="Credits at most"
            placeholder={Number.isNaN(maxRows) ? 'No other limit' : formatNumber(maxRows)}
            value={maxCredits}
            onChange={(credits) => change({ maxCredits: credits })}
            minValue={0}
            maxValue={mostRows}
            className="w-40"
          />
        )}
      </div>
      <div>
        <Checkbox isSelected={form.leavesOutOwned} onChange={(isOn) => change({ leavesOutOwned: isOn })}>
          {kind === 'stores' ? 'Leave out stores exported in this period' : 'Leave out people revealed already'}
        </Checkbox>
        {canCompress(format) && (
          <Checkbox isSelected={form.isCompressed} onChange={(isOn) => change({ isCompressed: isOn })}>
            Compress with gzip
          </Checkbox>
        )}
      </div>
      <QuoteSection kind={kind} quote={quote} isOld={isOld} />
      <FormError>{error !== undefined && messageOf(error)}</FormError>
      <DialogActions>
        <Button onPress={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isStarting} isDisabled={!quote.data}>
          {isReveal && quote.data ? `Reveal ${formatPeople(quote.data.contacts)}` : 'Start export'}
        </Button>
      </DialogActions>
    </form>
  )
}
