// Stands in for the application that the server of the README deploys.

export function build(env: string): string {
  return `app-${env}-42`
}

export function release({ image, region, replicas }: { image: string; region: string; replicas: number }): string {
  return `${image}-${region}-${replicas}`
}
