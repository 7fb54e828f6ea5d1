import { describe, expect, test } from 'vitest'
import { kubernetesObjects, parseDeployFile } from './support/documents.ts'
import { watchFields } from './support/unread-fields.ts'

const objects = kubernetesObjects()
const find = (kind: string, name = 'storedex') =>
  objects.find(({ file, object }) => object.kind === kind && object.metadata.name === name && file.includes('/base/'))!
    .object

interface Model {
  prototype: { validate(this: object): void }
}

/** Throws for an object that the schemas of Kubernetes do not allow, or that has a field which they do not know. */
async function validate(object: { apiVersion: string; kind: string }): Promise<void> {
  const module = (await import(/* @vite-ignore */ `kubernetes-models/${object.apiVersion}/${object.kind}`)) as Record<
    string,
    Model
  >
  const { watched, unread } = watchFields(object)
  // Called on the document itself: the constructor would copy it, and so read every field.
  module[object.kind]!.prototype.validate.call(watched)
  if (unread().length > 0) throw new Error(`unknown fields: ${unread().join(', ')}`)
}

describe('the objects for Kubernetes', () => {
  test.each(objects.map(({ file, object }) => [file, object.kind, object] as const))(
    '%s: %s fits its schema',
    async (file, _kind, object) => {
      if (file.endsWith('example/ingress.yaml')) {
        // A patch: complete together with what it changes.
        const base = find('Ingress')
        await validate({ ...base, ...object, spec: { ...base.spec, ...object.spec } })
      } else await validate(object)
    },
  )

  test('a misspelt field does not fit', async () => {
    const deployment = structuredClone(find('Deployment'))
    const [container] = deployment.spec.template.spec.containers
    container.livenesProbe = container.livenessProbe
    await expect(validate(deployment)).rejects.toThrow('/spec/template/spec/containers/0/livenesProbe')
  })

  test('the lists of resources name every file, and every patch an object', () => {
    for (const folder of ['base', 'example']) {
      const [{ resources, patches = [] }] = parseDeployFile(`kubernetes/${folder}/kustomization.yaml`)
      const listed = [...resources, ...patches.map(({ path }: { path: string }) => path)].filter((path) =>
        path.endsWith('.yaml'),
      )
      const present = objects.flatMap(({ file }) => {
        const [, name] = new RegExp(`^kubernetes/${folder}/(.+)$`).exec(file) ?? []
        return name ? [name] : []
      })
      expect([...new Set(present)].sort()).toEqual(listed.sort())
    }
  })

  test('selectors, ports and settings lead to the pods', () => {
    const { spec } = find('Deployment')
    const { labels } = spec.template.metadata
    const [container] = spec.template.spec.containers
    const ports = container.ports.map(({ name }: { name: string }) => name)
    for (const service of ['storedex', 'storedex-metrics']) {
      const { selector, ports: served } = find('Service', service).spec
      expect(labels).toMatchObject(selector)
      for (const { targetPort } of served) expect(ports).toContain(targetPort)
    }
    for (const kind of ['PodDisruptionBudget']) expect(labels).toMatchObject(find(kind).spec.selector.matchLabels)
    const policy = find('NetworkPolicy').spec
    expect(labels).toMatchObject(policy.podSelector.matchLabels)
    for (const { ports: allowed } of policy.ingress) for (const { port } of allowed) expect(ports).toContain(port)
    expect(spec.selector.matchLabels).toEqual(labels)
    const names = container.envFrom.map((source: object) => Object.values(source)[0].name)
    const settings = parseDeployFile('kubernetes/example/settings.yaml')[0]
    expect(names).toEqual([settings.metadata.name, 'storedex'])
  })

  test('no pod starts without data keys, whose folder would go with it, and the namespace holds pods to what they need', () => {
    const { env } = find('Deployment').spec.template.spec.containers[0]
    for (const name of ['DATA_KEYS', 'DATABASE_URL'])
      expect(env.find((each: { name: string }) => each.name === name)?.valueFrom).toEqual({
        secretKeyRef: { name: 'storedex', key: name, optional: false },
      })
    const namespace = objects.find(({ object }) => object.kind === 'Namespace')!.object
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' })
  })

  test('pods run without rights and end only after the service has drained', () => {
    for (const { object } of objects.filter(({ object }) => object.spec?.template?.spec?.containers)) {
      const pod = object.spec.template.spec
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
    const pod = find('Deployment').spec.template.spec
    const pause = Number(pod.containers[0].lifecycle.preStop.exec.command[1])
    // The service takes 10 s for requests in flight, and about 10 s more for the rest.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + 25)
  })
})
