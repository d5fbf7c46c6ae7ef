// A flag is heard: two tones, and a sentence by the browser's own voice where somebody wants it.
const KEPT = { sound: "nerts-referee sound", voice: "nerts-referee voice" };

export const wanted = (kind) => localStorage.getItem(KEPT[kind]) === "on";
export const want = (kind, on) => localStorage.setItem(KEPT[kind], on ? "on" : "off");
export const canSpeak = () => "speechSynthesis" in window;

let context = null;

export function sound() {
  if (!wanted("sound") || !window.AudioContext) return;
  context ??= new AudioContext();
  for (const [at, pitch] of [[0, 660], [0.18, 440]]) {
    const [tone, loud] = [context.createOscillator(), context.createGain()];
    const from = context.currentTime + at;
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.2, from);
    loud.gain.exponentialRampToValueAtTime(0.001, from + 0.3);
    tone.connect(loud).connect(context.destination);
    tone.start(from);
    tone.stop(from + 0.3);
  }
}

export function speak(sentence) {
  if (!wanted("voice") || !canSpeak()) return;
  const told = new SpeechSynthesisUtterance(sentence);
  told.lang = "en";
  speechSynthesis.speak(told);
}
