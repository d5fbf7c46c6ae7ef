// Pictures made of a photo: the crop around one card, and the whole with every tag, which is kept as the evidence.
import { inkOn, inView, tagColour, tagSizes, tagText } from "./look.js";

const CROP_PX = 420;
const pictures = new Map(); // by a photo's key: its picture, decoded

async function decoded(shot) {
  if (!pictures.has(shot.key)) {
    const image = new Image();
    image.src = shot.preview;
    pictures.set(shot.key, image.decode().then(() => image));
  }
  return pictures.get(shot.key);
}

/** A canvas with what lies around these corners (px of the photo), what is in view of that card outlined. */
export function crop(shot, corners) {
  const canvas = document.createElement("canvas");
  canvas.className = "crop";
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const side = 1.7 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const [left, top] = [(Math.max(...xs) + Math.min(...xs) - side) / 2, (Math.max(...ys) + Math.min(...ys) - side) / 2];
  canvas.width = canvas.height = CROP_PX;
  decoded(shot).then((image) => {
    const brush = canvas.getContext("2d");
    const scale = image.naturalWidth / shot.layout.width;
    brush.drawImage(image, left * scale, top * scale, side * scale, side * scale, 0, 0, CROP_PX, CROP_PX);
    brush.setTransform(CROP_PX / side, 0, 0, CROP_PX / side, (-left * CROP_PX) / side, (-top * CROP_PX) / side);
    outline(brush, inView(shot.layout, corners), "#000", (side * 7) / CROP_PX);
    outline(brush, inView(shot.layout, corners), "#ffd60a", (side * 3.5) / CROP_PX);
  }).catch(() => {});
  return canvas;
}

/** The photo with every tag on it, as a JPEG (a Blob); `words` stand beneath. */
export async function tagged(shot, places, colour, words) {
  const image = await decoded(shot);
  const { naturalWidth: width, naturalHeight: height } = image;
  const line = Math.max(16, Math.round(width / 60));
  const canvas = Object.assign(document.createElement("canvas"), { width, height: height + (words.length + 0.5) * 1.4 * line });
  const brush = canvas.getContext("2d");
  brush.fillStyle = "#fff";
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.drawImage(image, 0, 0);
  const scale = width / shot.layout.width;
  const sizes = tagSizes(places, shot.layout).map((size) => size * scale);
  const thin = Math.max(1, Math.min(...sizes) / 9);
  for (const { tag, corners } of places) {
    outline(brush, corners.map((point) => point.map((value) => value * scale)), tagColour(tag, colour), thin);
  }
  Object.assign(brush, { textAlign: "center", textBaseline: "middle" });
  places.forEach(({ tag, at }, number) => {
    brush.font = `bold ${sizes[number]}px sans-serif`;
    label(brush, tagText(tag), at.map((value) => value * scale), tagColour(tag, colour), sizes[number]);
  });
  Object.assign(brush, { font: `${line}px sans-serif`, textAlign: "left", fillStyle: "#000" });
  words.forEach((text, row) => brush.fillText(text, line / 2, height + (row + 0.9) * 1.4 * line));
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
}

function label(brush, text, [x, y], colour, size) {
  const half = Math.max(size * 0.62, brush.measureText(text).width / 2 + size * 0.2);
  brush.fillStyle = colour;
  brush.fillRect(x - half, y - size * 0.6, 2 * half, size * 1.2);
  brush.fillStyle = inkOn(colour);
  brush.fillText(text, x, y + size * 0.05);
}

function outline(brush, corners, colour, width) {
  brush.beginPath();
  corners.forEach(([x, y], index) => (index ? brush.lineTo(x, y) : brush.moveTo(x, y)));
  brush.closePath();
  Object.assign(brush, { strokeStyle: colour, lineWidth: width });
  brush.stroke();
}
