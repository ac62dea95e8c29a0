// A quiet sound for new asks, off by default. Generated here, so no file is loaded.

import { useState } from 'react'

const storageKey = 'assent-sound'
/** Two soft notes, a fifth apart. */
const notesHz = [523.25, 783.99]
const noteSeconds = 0.22
const peakGain = 0.06

let audio: AudioContext | undefined

export function chime(): void {
  audio ??= new AudioContext()
  const { currentTime, destination } = audio
  notesHz.forEach((hz, at) => {
    if (audio === undefined) return
    const startsAt = currentTime + at * noteSeconds * 0.6
    const [note, gain] = [audio.createOscillator(), audio.createGain()]
    note.type = 'sine'
    note.frequency.value = hz
    gain.gain.setValueAtTime(0, startsAt)
    gain.gain.linearRampToValueAtTime(peakGain, startsAt + 0.02)
    gain.gain.exponentialRampToValueAtTime(0.0001, startsAt + noteSeconds)
    note.connect(gain).connect(destination)
    note.start(startsAt)
    note.stop(startsAt + noteSeconds)
  })
  // Browsers block sound until the person has interacted with the page; then nothing is played.
  void audio.resume().catch(() => undefined)
}

export function useSound(): { readonly isOn: boolean; readonly toggle: () => void } {
  const [isOn, setOn] = useState(() => localStorage.getItem(storageKey) === 'on')
  const toggle = () => {
    localStorage.setItem(storageKey, isOn ? 'off' : 'on')
    setOn(!isOn)
    // Play it once as a preview.
    if (!isOn) chime()
  }
  return { isOn, toggle }
}

/** The current setting, also if it was changed in another tab. */
export function isSoundOn(): boolean {
  return localStorage.getItem(storageKey) === 'on'
}
